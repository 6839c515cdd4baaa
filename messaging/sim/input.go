package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// An Input is what the user of Node gives it at the time At: the node receives Message from
// itself; see [messaging.Cluster.Input]. A node that is down gets none.
type Input struct {
	Node    messaging.ID
	At      time.Duration
	Message messaging.Message // plain data
}

func (c *Config) checkInputs() error {
	for k, in := range c.Inputs {
		field := fmt.Sprintf("Config.Inputs[%d]", k)
		if err := cmp.Or(
			c.checkNode(field+".Node", in.Node),
			checkTime(field+".At", in.At),
		); err != nil {
			return err
		}
		if err := state.CheckMessage(in.Message); err != nil {
			return fmt.Errorf("%s.Message is %T: %w", field, in.Message, err)
		}
	}
	return nil
}

// scheduleInputs schedules the inputs, those of the same time in the order of the nodes.
func (s *simulation) scheduleInputs() {
	all := slices.Clone(s.c.Inputs)
	slices.SortStableFunc(all, func(a, b Input) int { return cmp.Compare(a.Node, b.Node) })
	for _, in := range all {
		s.pending++
		s.upcoming++
		s.queue.push(in.At, event{kind: give, to: int32(in.Node), message: in.Message})
	}
}

func (s *simulation) give(i messaging.ID, m messaging.Message) {
	if s.users[i].crashed {
		return
	}
	s.lastUse = s.now
	s.cause = s.observe(0, action.Input, i, i, m)
	s.receive(i, i, m)
}

// judge fails the run if what the nodes have emitted is wrong.
func (s *simulation) judge(over bool) error {
	var down messaging.Set
	for i := range s.users {
		if s.users[i].crashed {
			down.Add(messaging.ID(i))
		}
	}
	if err := s.c.Results(messaging.Outcome{Emitted: s.emitted, Down: down, Over: over}); err != nil {
		return fmt.Errorf("%w: %w", errResults, err)
	}
	return nil
}
