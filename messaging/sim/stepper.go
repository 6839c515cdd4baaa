package sim

import (
	"errors"
	"fmt"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/steps"
	"example.org/doorway/messaging"
)

func init() {
	steps.New = func(config any, draw func(n int) int) steps.Run {
		c := config.(Config)
		c.fill()
		r := &stepper{simulation: newSimulation(c, true), links: make([]uint64, c.Nodes*c.Nodes)}
		r.draw = draw
		r.build()
		return r
	}
}

// A stepper is a [steps.Run].
type stepper struct {
	*simulation
	links []uint64 // by sender and receiver, which call of Pending has last found a message there
	calls uint64   // of Pending
}

func (r *stepper) Start()                               { r.launch() }
func (r *stepper) Token(i messaging.ID) messaging.Token { return r.sites[i].Token() }
func (r *stepper) Excludes(i, j messaging.ID) bool      { return r.graph.Excludes(i, j) }

func (r *stepper) Phases(all []messaging.Phase) {
	for i := range r.sites {
		all[i] = r.sites[i].Phase()
		if r.users[i].crashed {
			all[i] = steps.Down
		}
	}
}

func (r *stepper) Pending(messages []uint64, others []steps.Pending) ([]uint64, []steps.Pending) {
	r.calls++
	call, nodes, pages, events := r.calls, r.c.Nodes, r.queue.book.pages, r.queue.events
	for k := range pages {
		p := &pages[k]
		e := &events[p.slot]
		switch {
		case e.kind == deliver:
			last := &r.links[int(e.from)*nodes+int(e.to)]
			if *last != call || r.c.Unordered {
				messages = append(messages, p.number)
				*last = call
			}
		case r.effective(e):
			others = append(others, steps.Pending{
				Number: p.number, Action: kinds[e.kind].action, Node: messaging.ID(e.to), After: p.at - p.since, Due: p.at <= r.now,
			})
		}
	}
	return messages, others
}

func (r *stepper) Do(what byte, number uint64) {
	if what == happens {
		r.bringForward(r.queue.book.find(number))
	} else {
		r.handle(r.chosenAct(what, int32(number)))
	}
}

func (r *stepper) Failed() error {
	if r.err == nil {
		if !r.graph.Complete() && len(r.inside) > 0 && r.stuck() {
			return history.Stuck
		}
		return nil
	}
	if v := new(violation); errors.As(r.err, v) {
		return fmt.Errorf("%w: %s and %s", history.Exclusion, name(min(v.inside, v.entered)), name(max(v.inside, v.entered)))
	}
	return errors.Unwrap(r.err) // without the time
}

func (r *stepper) Over() error {
	switch {
	case r.stuck():
		return history.Stuck
	case r.emitted != nil && !r.c.Perpetual && r.done():
		return r.judge(true)
	}
	return nil
}
