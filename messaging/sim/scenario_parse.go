package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/doorway/messaging"
)

const (
	mostNodes   = 1000
	mostEntries = 10_000
)

// A parser reads directives into a scenario.
type parser struct {
	*Scenario
	script Script
	line   int
	linked int // the last line that has links
	last   int // the last line that is not blank or a comment
}

func newParser(s *Scenario) *parser {
	s.given = map[string]int{}
	return &parser{Scenario: s}
}

func (p *parser) parse() error {
	for text := range strings.Lines(p.Directives) {
		p.line++
		for _, text := range parts(text) {
			l := newLine(text, p.setting.Nodes)
			if l.more() {
				p.last = p.line
				p.directive(l)
				l.end()
			}
			if l.err != nil {
				return p.errorAt(p.line, l.err)
			}
		}
	}
	if err := p.finish(); err != nil {
		return p.errorAt(max(p.last, 1), err)
	}
	return p.checkLinks()
}

// parts returns the directives of a line, without a comment.
func parts(text string) []string {
	for at := range len(text) {
		if text[at] == '#' && !ordinalAt(text, at) {
			text = text[:at]
			break
		}
	}
	return strings.Split(text, ";")
}

// ordinalAt reports whether the # there is that of an ordinal, such as #2 after another word,
// and begins no comment.
func ordinalAt(text string, at int) bool {
	before, after := text[:at], text[at+1:]
	return strings.TrimSpace(before) != "" && strings.TrimRight(before, " \t") != before &&
		after != "" && after[0] >= '0' && after[0] <= '9'
}

func (p *parser) directive(l *line) {
	word := l.words[0]
	read, once := single[word]
	another, known := repeated[word]
	switch {
	case !once && !known:
		words := slices.AppendSeq(slices.Collect(maps.Keys(single)), maps.Keys(repeated))
		slices.Sort(words)
		l.unexpected("a directive: " + strings.Join(words, ", "))
	case p.setting.Nodes == 0 && word != "nodes" && word != "version":
		l.unexpected(`"nodes" before anything else`)
	case once:
		l.name()
		p.once(l, word)
		read(p, l)
	default:
		l.name()
		another(p, l)
	}
}

// finish checks what no single line can show, and fills in defaults.
func (p *parser) finish() error {
	switch {
	case p.setting.Nodes == 0:
		return p.missing(`"nodes" and their number`)
	case p.setting.Algorithm == "":
		return p.missing(`"algorithm" and its name`)
	case p.config.Load == nil && p.script == nil && p.inputs == nil && p.given["run"] == 0:
		return p.missing(`a request, an input or a load, such as "at 0 S1 asks"`)
	}
	p.config.Nodes, p.config.Holder = p.setting.Nodes, p.setting.Holder
	if p.script != nil {
		p.config.Load = p.script
	}
	if p.sections == nil {
		p.sections = []string{"entries", "messages"}
	}
	if err := p.checkSets("set", p.setting.Request); err != nil {
		return err
	}
	if err := p.checkSets("links", p.setting.Links); err != nil {
		return err
	}
	return p.checkSets("inform", p.setting.Inform)
}

func (p *parser) missing(what string) error {
	return fmt.Errorf("expected %s, found the end of the directives", what)
}

func (p *parser) checkSets(directive string, sets [][]messaging.ID) error {
	for i, set := range sets {
		if set == nil {
			return p.missing(fmt.Sprintf("%q for each node, including S%d", directive, i+1))
		}
	}
	return nil
}

// once fails the line if what was given before.
func (p *parser) once(l *line, what string) {
	if before, ok := p.given[what]; ok {
		l.fail("expected %s only once, but line %d has it already", what, before)
	}
	p.given[what] = p.line
}
