package register

import (
	"sync"

	"example.org/doorway/internal/memory/hook"
)

// A Step makes several accesses one atomic step, for algorithms that assume more
// than atomic registers. Accesses that must not come in between must use the same
// Step. A Step takes a lock, so an algorithm that needs it is one to study, not
// one to use.
//
// Its zero value is ready for use. It must not be copied after first use.
type Step struct{ mu sync.Mutex }

// Do runs f as one atomic step with respect to all other calls of Do. It blocks
// while another call is in progress; f must not block.
func (s *Step) Do(f func()) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			h.Do(hook.Operation{Op: hook.OpBegin, Step: &s.mu})
			f()
			h.Do(hook.Operation{Op: hook.OpEnd, Step: &s.mu})
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}
