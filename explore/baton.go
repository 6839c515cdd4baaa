package explore

import "fmt"

// A process that has made the waiters of a register.Relay due, or was woken at one and
// has the baton, passes it on by Process.Pass; else nobody wakes them. The graph has no
// baton: there, an await is a step that is enabled while its condition holds. That is
// sound if every process calls Pass after its last use of a relay in an exit, or in an
// entry that is aborted: then, as package register shows, no wake-up is lost. So a run
// that ends otherwise is refused.

// Relays notes a use of a relay.
func (r *run) Relays(awaited bool) {
	r.baton = true
	r.x.relays = r.x.relays || awaited
}

// Passes notes a call of Process.Pass.
func (r *run) Passes() { r.baton, r.passed = false, true }

// handsOn notes a run that ends without passing the baton on, by the protocol named. An
// exit passes it even if it uses no relay itself, because the entry may have.
func (r *run) handsOn(protocol string, exits bool) {
	if r.x.keeps == nil && (r.baton || exits && !r.passed) {
		r.x.keeps = fmt.Errorf("explore: %s of process %d ends without calling Process.Pass after its last use of a register.Relay: "+
			"the waiters that it made due are never woken", protocol, r.t.process)
	}
}

// passes returns an error if a process keeps the baton and others await relays.
func (x *extraction) passes() error {
	if x.relays {
		return x.keeps
	}
	return nil
}
