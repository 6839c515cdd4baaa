package explore_test

import (
	"errors"
	"fmt"

	"example.org/doorway/explore"
)

// A semaphore is a design of a lock, of one bit, for two processes. With Handover, who
// leaves hands it to the process that waits.
type semaphore struct {
	Handover bool
	Taken    bool
	At       [2]section
}

type section int

const (
	outside section = iota
	waiting
	inside
)

func (s section) String() string { return []string{"outside", "waiting", "inside"}[s] }

// next has the events that are possible in s. A request is never due, so that event only
// may happen; the others will.
func (s semaphore) next(will, may func(event string, to semaphore)) {
	for p, at := range s.At {
		to, other := s, 1-p
		switch {
		case at == outside:
			to.At[p] = waiting
			may(fmt.Sprintf("process %d requests", p), to)
		case at == waiting && !s.Taken:
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

// Does process 1 enter if it waits? Not if the other one may take the semaphore again and
// again: then it remains possible only now and then.
func ExampleCheckSystem() {
	for _, handover := range []bool{false, true} {
		report, err := explore.CheckSystem(explore.System[semaphore]{
			Initial: []semaphore{{Handover: handover}},
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
	// 8 states, 14 events between them
	//   invariant                                     holds
	//   deadlock-free                                 holds
	//   process 1 enters                              fails, in 4 events
	// explore: process 1 enters fails, in 4 events
	// process 1 enters: not in this run
	// initially           Handover: false, Taken: false, At: [outside outside]
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
