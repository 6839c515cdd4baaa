package explore_test

import (
	"errors"
	"fmt"

	"example.org/doorway/explore"
)

// A semaphore is a design of a lock, of one bit, for two processes, with two rules. Atomic: a
// process tests and takes it in one event. Handover: a process that leaves hands it to the one
// that waits.
type semaphore struct {
	Atomic, Handover bool

	Taken bool
	At    [2]section
}

type section int

const (
	outside section = iota
	waiting
	tested // and found it free
	inside
)

func (s section) String() string { return []string{"outside", "waiting", "tested", "inside"}[s] }

// next has the events that are possible in s. A request is never due, so that event only
// may happen; the others will.
func (s semaphore) next(will, may func(event string, to semaphore)) {
	for p, at := range s.At {
		to, other := s, 1-p
		switch {
		case at == outside:
			to.At[p] = waiting
			may(fmt.Sprintf("process %d requests", p), to)
		case at == waiting && !s.Taken && !s.Atomic:
			to.At[p] = tested
			will(fmt.Sprintf("process %d finds it free", p), to)
		case at == waiting && !s.Taken || at == tested:
			to.At[p], to.Taken = inside, true
			will(fmt.Sprintf("process %d enters", p), to)
		case at == inside && s.Handover && s.At[other] == waiting:
			to.At[p], to.At[other] = outside, inside
			will(fmt.Sprintf("process %d leaves", p), to)
		case at == inside:
			to.At[p], to.Taken = outside, false
			will(fmt.Sprintf("process %d leaves", p), to)
		}
	}
}

// Without Atomic both processes may be inside. Without Handover the other process may take the
// semaphore again and again, so process 1 can enter only now and then, and need not.
func ExampleCheckSystem() {
	for _, design := range []semaphore{{Handover: true}, {Atomic: true}, {Atomic: true, Handover: true}} {
		report, err := explore.CheckSystem(explore.System[semaphore]{
			Initial: []semaphore{design},
			Next:    semaphore.next,
			Invariant: func(s semaphore) error {
				if s.At == [2]section{inside, inside} {
					return errors.New("both are inside")
				}
				return nil
			},
			Leads: map[string]func(s semaphore) (due, done bool){
				"process 1 enters": func(s semaphore) (due, done bool) { return s.At[1] == waiting, s.At[1] == inside },
			},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(report)
		fmt.Println(report.Err())
	}
	// Output:
	// 16 states, 28 events between them
	//   invariant                                     fails, in 6 events
	// explore: invariant fails, in 6 events
	// the invariant is violated: both are inside
	// initially                Atomic: false, Handover: true, Taken: false, At: [outside outside]
	// process 0 requests       At: [waiting outside]
	// process 0 finds it free  At: [tested outside]
	// process 1 requests       At: [tested waiting]
	// process 1 finds it free  At: [tested tested]
	// process 0 enters         Taken: true, At: [inside tested]
	// process 1 enters         At: [inside inside]
	// not checked: deadlock-free and process 1 enters
	// 8 states, 14 events between them
	//   invariant                                     holds
	//   deadlock-free                                 holds
	//   process 1 enters                              fails, in 4 events
	// explore: process 1 enters fails, in 4 events
	// process 1 enters: not in this run
	// initially           Atomic: true, Handover: false, Taken: false, At: [outside outside]
	// process 1 requests  At: [outside waiting]
	// and from here on, forever:
	// process 0 requests  At: [waiting waiting]
	// process 0 enters    Taken: true, At: [inside waiting]
	// process 0 leaves    Taken: false, At: [outside waiting]
	// 8 states, 14 events between them
	//   invariant                                     holds
	//   deadlock-free                                 holds
	//   process 1 enters                              holds
	// <nil>
}
