package sim

import (
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// The directives of random faults and of how long a run may take.
const (
	aLoss        = "loss"
	aDuplication = "duplication"
	aGiveUp      = "give up"
	aPatience    = "patience"
)

func (p *parser) loss(l *line) {
	p.once(l, aLoss)
	p.config.Loss = l.probability()
}

func (p *parser) duplication(l *line) {
	p.once(l, aDuplication)
	p.config.Duplication = l.probability()
}

// giveUp reads: give up 0.25 after 0..4.
func (p *parser) giveUp(l *line) {
	p.once(l, aGiveUp)
	l.phrase("up")
	p.config.GiveUp = l.probability()
	if l.accept("after") {
		p.config.GiveUpAfter = l.durations(0, aDuration)
	}
}

func (p *parser) perpetual(l *line) {
	p.once(l, "perpetual")
	p.config.Perpetual = true
}

func (p *parser) patience(l *line) {
	p.once(l, aPatience)
	p.config.Patience = l.timeAfter(0)
}

// probability reads a number in plain digits that is more than 0.
func (l *line) probability() float64 {
	return take(l, "a probability such as 0.25, more than 0 and at most 1", func(word string) (float64, bool) {
		f, err := strconv.ParseFloat(word, 64)
		return f, err == nil && strings.Trim(word, "0123456789.") == "" && f > 0 && f <= 1
	})
}

func probabilityText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// chances is what happened at random in a run.
type chances struct {
	sent                        messaging.Event // the last one
	by                          *Exception      // that applies to it
	lost, duplicated, abandoned bool
}

func (c *chances) note(e messaging.Event) {
	onSend := e.Number == c.sent.Number+1
	switch e.Action {
	case action.Lost:
		c.lost = c.lost || onSend && (c.by == nil || !c.by.Lose)
	case action.Duplicated:
		c.duplicated = c.duplicated || c.by == nil || !c.by.Double
	case action.GaveUp:
		c.abandoned = true
	}
}

// unusedChances returns the probabilities of what did not happen.
func (o *observer) unusedChances() (all []unusedLine) {
	for _, c := range []struct {
		what     string
		happened bool
		expected string
	}{
		{aLoss, o.chances.lost, "expected a message to be lost at random, but none is"},
		{aDuplication, o.chances.duplicated, "expected a message to be duplicated at random, but none is"},
		{aGiveUp, o.chances.abandoned && o.given[aLoad] > 0, "expected a request of a load to be given up, but none is"},
	} {
		if line := o.given[c.what]; line > 0 && !c.happened {
			all = append(all, unusedLine{line, c.expected})
		}
	}
	return all
}

// A pause is that of a load before a request.
type pause struct {
	random bool
	length Distribution
}

// pause reads what may come after the entries of a load: at random, and a word with
// durations.
func (l *line) pause(word string, random bool) (p pause) {
	if random && l.accept("at") {
		l.phrase("random")
		p.random = true
	}
	if l.accept(word) {
		p.length = l.durations(0, aDuration)
	}
	return p
}

func (p pause) directive(word string) (text string) {
	if p.random {
		text = " at random"
	}
	if p.length.shape != unset {
		text += " " + word + " " + p.length.directive()
	}
	return text
}

// timeouts reads the time that messages take, for which the timeouts of the algorithm are.
func (p *parser) timeouts(l *line) {
	p.once(l, aTimeout)
	p.setting.Timeouts = l.timeAfter(0)
}

// exponentialOf converts exp(2).
func exponentialOf(word string, least time.Duration) (Distribution, bool) {
	word, ok := strings.CutPrefix(word, "exp(")
	word, closed := strings.CutSuffix(word, ")")
	mean, isTime := parseTime(word)
	return Exponential(mean), ok && closed && isTime && mean >= least
}
