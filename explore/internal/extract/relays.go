package extract

import "fmt"

// A process that has made the waiters of a register.Relay due, or was woken at one and
// has the baton, passes it on by Process.Pass; else they are never woken. If every process
// calls Pass after its last use of a relay in an exit, or in an entry that is aborted,
// then, as package register shows, no wake-up is lost: an await is a step that is
// enabled while its condition holds, and the graph needs no baton. Of any other lock,
// the lines at its relays and the baton are part of the state, and the steps of waiting
// at a relay are steps of the graph.

// Relays notes a use of a relay.
func (r *run) Relays(awaited bool) {
	r.baton = true
	r.x.relays = r.x.relays || awaited
}

// Passes notes a call of Process.Pass.
func (r *run) Passes() { r.baton, r.passed = false, true }

func (r *run) Batons() bool { return r.x.Batons }

// handsOn notes a run that ends without passing the baton on, by the protocol named. An
// exit passes it even if it uses no relay itself, because the entry may have.
func (r *run) handsOn(protocol string, exits bool) {
	if r.x.Keeps == "" && (r.baton || exits && !r.passed) {
		r.x.Keeps = fmt.Sprintf("%s of process %d ends without calling Process.Pass after its last use of a register.Relay", protocol, r.t.Process)
	}
}
