package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// An Input is what the user of Node gives it at the time At: the node receives Message from
// itself; see [messaging.Cluster.Input]. A node that is down loses it.
type Input struct {
	Node    messaging.ID
	At      time.Duration
	Message messaging.Message // plain data
}

func (c *Config) checkInput(field string, in Input) error {
	err := state.CheckMessage(in.Message)
	return cmp.Or(
		c.checkNode(field+".Node", in.Node),
		checkTime(field+".At", in.At),
		refuseIf(err != nil, "%s.Message is %T: %w", field, in.Message, err),
	)
}

// scheduleInputs schedules the inputs, those of the same time in the order of the nodes.
func (s *simulation) scheduleInputs() {
	all := slices.Clone(s.c.Inputs)
	slices.SortStableFunc(all, func(a, b Input) int { return cmp.Compare(a.Node, b.Node) })
	for _, in := range all {
		s.schedule(in.At, steps.At(in.Node, steps.Give, 0, in.Message))
	}
}

// A written is an input whose message is not read yet: its kind is one of the algorithm.
type written struct {
	Input
	text string
	line int
}

// input reads: at 0 S5 gets ELECT.
func (p *parser) input(l *line, in Input) {
	text := take(l, "a message such as REQUEST(1,S2)", func(word string) (string, bool) { return word, true })
	p.inputs = append(p.inputs, written{Input: in, text: text, line: p.line})
}

// readInputs reads the messages of inputs, of these kinds.
func (s *Scenario) readInputs(kinds []messaging.Message) error {
	s.config.Inputs = nil
	for _, w := range s.inputs {
		m, err := notation.Parse(w.text, kinds)
		if len(kinds) == 0 {
			err = fmt.Errorf("expected an algorithm whose messages are known, found %s", s.setting.Algorithm)
		}
		if err != nil {
			return s.errorAt(w.line, err)
		}
		w.Message = m
		s.config.Inputs = append(s.config.Inputs, w.Input)
	}
	return nil
}

// readAgain reads the messages of inputs from the text that a scenario has of them.
func readAgain(all []Input) (again []Input, err error) {
	for k, in := range all {
		if in.Message, err = notation.Parse(notation.Message(in.Message), []messaging.Message{in.Message}); err != nil {
			return nil, fmt.Errorf("Config.Inputs[%d] is one that the text of a run cannot express: %w", k, err)
		}
		again = append(again, in)
	}
	return again, nil
}
