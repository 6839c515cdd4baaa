package extract

import (
	"fmt"

	"example.org/doorway/internal/seam"
)

// A process that is woken at a register.Relay has the baton, and a store to one makes
// others due. They sleep until it passes the baton on by Process.Pass. So if a process
// awaits a relay, the last thing that every exit does, and every entry that is aborted, is
// to call Pass. Then no wake-up is lost, as package register shows: an await is a step that is
// enabled while its condition holds, and the graph needs no baton.

// passes notes whether the last store or await at a relay is behind the last call of Pass.
func (r *run) passes(at seam.Boundary) {
	switch at {
	case seam.AtPass:
		r.passed = true
	case seam.AtRelay:
		r.passed, r.x.relays = false, true
	}
}

// handsOn notes a protocol, named in words, that ends without a call of Pass.
func (r *run) handsOn(protocol string) {
	if !r.passed && r.x.keeps == "" {
		r.x.keeps = fmt.Sprintf("%s of process %d", protocol, r.t.Process)
	}
}

// keepsBaton returns an error if a process may keep the baton from those that are due.
func (x *Extraction) keepsBaton() error {
	if !x.relays || x.keeps == "" {
		return nil
	}
	return fmt.Errorf("explore: %s ends without calling Process.Pass after its last store: those that await a register.Relay may sleep forever", x.keeps)
}
