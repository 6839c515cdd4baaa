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

// directives maps the first word of a line to the method that reads the rest.
var directives = map[string]func(p *parser, l *line){
	"nodes":       (*parser).nodes,
	"algorithm":   (*parser).algorithmName,
	"holder":      (*parser).holder,
	"set":         (*parser).requestSet,
	"inform":      (*parser).informSet,
	"latency":     (*parser).latency,
	"lose":        (*parser).lose,
	"loss":        (*parser).loss,
	"duplication": (*parser).duplication,
	"give":        (*parser).giveUp,
	"perpetual":   (*parser).perpetual,
	"pace":        (*parser).pace,
	"patience":    (*parser).patience,
	"timeouts":    (*parser).timeouts,
	"topology":    (*parser).topology,
	"links":       (*parser).links,
	"sets":        (*parser).namedSets,
	"double":      (*parser).double,
	"unordered":   (*parser).unordered,
	"at":          (*parser).at,
	"state":       (*parser).state,
	"expect":      (*parser).expect,
	"low":         (*parser).low,
	"high":        (*parser).high,
	"stay":        (*parser).stay,
	"detect":      (*parser).detect,
	"rules":       (*parser).rules,
	"run":         (*parser).run,
	"seed":        (*parser).seed,
	"until":       (*parser).until,
	"version":     (*parser).version,
	"show":        (*parser).showing,
}

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
	read, known := directives[l.words[0]]
	switch {
	case !known:
		l.unexpected("a directive: " + strings.Join(slices.Sorted(maps.Keys(directives)), ", "))
	case p.setting.Nodes == 0 && l.words[0] != "nodes" && l.words[0] != aVersion:
		l.unexpected(`"nodes" before anything else`)
	default:
		l.name()
		read(p, l)
	}
}

// finish checks what no single line can show, and fills in defaults.
func (p *parser) finish() error {
	switch {
	case p.setting.Nodes == 0:
		return p.missing(`"nodes" and their number`)
	case p.setting.Algorithm == "":
		return p.missing(`"algorithm" and its name`)
	case p.config.Load == nil && p.script == nil && p.inputs == nil && p.given[aRun] == 0:
		return p.missing(`a request, an input or a load, such as "at 0 S1 asks"`)
	}
	if p.script != nil {
		p.config.Load = p.script
	}
	if p.sections == nil {
		p.sections = []string{"entries", "messages"}
	}
	if err := p.checkSets(aSet, p.setting.Request); err != nil {
		return err
	}
	if err := p.checkSets(aLink, p.setting.Links); err != nil {
		return err
	}
	return p.checkSets(anInform, p.setting.Inform)
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
