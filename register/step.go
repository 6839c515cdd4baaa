package register

import "sync"

// A Step makes several accesses one atomic step, for the algorithms that
// assume more than atomic registers give. All accesses that must not come in
// between are made within a Step too. It takes a lock to do so, and therefore
// an algorithm that needs it is one to study, not one to use.
//
// Its zero value is ready for use; it must not be copied after first use.
type Step struct{ mu sync.Mutex }

// Do runs f as one atomic step with respect to all other calls of Do. It
// blocks while another is under way; f must not block.
func (s *Step) Do(f func()) {
	if hosted {
		if h := host(); h != nil {
			h.Do(Operation{Op: OpBegin, Step: s})
			f()
			h.Do(Operation{Op: OpEnd, Step: s})
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}
