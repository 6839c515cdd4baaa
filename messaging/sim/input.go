package sim

import (
	"cmp"
	"fmt"
	"time"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// An Input is what the user of Node gives it at the time At: the node receives Message from
// itself; see cluster.Cluster.Input. A node that is down loses it.
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
