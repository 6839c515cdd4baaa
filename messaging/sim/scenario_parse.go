package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
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
	s.given, s.clocks = map[string]int{}, map[messaging.ID]uint64{}
	return &parser{Scenario: s}
}

func (p *parser) parse() error {
	for text := range strings.Lines(p.Directives) {
		p.line++
		for _, text := range notation.Directives(text) {
			l := &line{words: strings.Fields(text), nodes: p.setting.Nodes}
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

func (p *parser) directive(l *line) {
	word := l.words[0]
	d, known := directives[word]
	switch {
	case !known:
		l.err = &notation.UnknownDirectiveError{Word: word, Suggestion: spelling.Suggest(word, slices.Sorted(maps.Keys(directives)))}
		return
	case p.setting.Nodes == 0 && word != "nodes" && word != "version":
		l.unexpected(`"nodes" before anything else`)
		return
	case d.once:
		p.once(l, word)
	}
	if word != "version" && word != "rules" && word != "run" {
		p.lasting = append(p.lasting, strings.Join(l.words, " "))
	}
	l.name()
	d.read(p, l)
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
	p.config.Holder = p.setting.Holder
	if p.script != nil {
		p.config.Load = p.script
	}
	if p.sections == nil {
		p.sections = []string{"entries", "messages"}
	}
	links := p.setting.Links
	if p.linked == 0 {
		links = nil // those of a topology: a single node has none
	}
	return cmp.Or(
		p.checkSets("set", p.setting.Request),
		p.checkSets("links", links),
		p.checkSets("inform", p.setting.Inform),
	)
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

// The names of what can be given once, if it is not the first word of a line: keys of
// Scenario.given.
const (
	aLoad   = "a load"
	aGiveUp = "give up"
)

func givenOf(what string, i messaging.ID) string { return what + " " + name(i) }

func exceptionOf(e Exception) string { return "a latency, loss or duplication of " + messagesOf(e) }

// messagesOf describes the messages that x matches, in the form of a scenario.
func messagesOf(x Exception) string {
	end := func(ids []messaging.ID) string {
		if ids == nil {
			return "*"
		}
		return name(ids[0])
	}
	text := strings.TrimSpace(x.Kind + " " + end(x.From) + "->" + end(x.To))
	if x.Ordinal > 0 {
		text += fmt.Sprintf(" #%d", x.Ordinal)
	}
	return text
}

func requestOf(i messaging.ID, at time.Duration) string {
	return fmt.Sprintf("a request of %s at %s", name(i), inT(at))
}

// A directive is what the first word of a line says: whether there may be only one such line, and
// what reads the rest.
type directive struct {
	once bool
	read func(p *parser, l *line)
}

var directives = map[string]directive{
	"algorithm": {true, func(p *parser, l *line) { p.setting.Algorithm = l.name() }},
	"at":        {false, (*parser).at},
	"clock": {false, func(p *parser, l *line) {
		i := l.node()
		p.clocks[i] = l.integer(1, 1_000_000)
		p.once(l, givenOf("clock", i))
	}},
	"detect":      {true, func(p *parser, l *line) { p.config.Detection = l.durations(0, aDuration) }},
	"double":      {false, func(p *parser, l *line) { p.exception(l, false) }},
	"duplication": {true, func(p *parser, l *line) { p.config.Duplication = l.probability() }},
	"expect":      {false, (*parser).expect},
	"give":        {false, (*parser).giveUp},
	"high":        {false, (*parser).high},
	"holder":      {true, func(p *parser, l *line) { p.setting.Holder = l.node() }},
	"inform": {false, func(p *parser, l *line) {
		p.set(l, "inform", &p.setting.Inform)
		p.hasSets(l)
	}},
	"latency": {false, (*parser).latency},
	"links":   {false, (*parser).links},
	"lose":    {false, func(p *parser, l *line) { p.exception(l, true) }},
	"loss":    {true, func(p *parser, l *line) { p.config.Loss = l.probability() }},
	"low":     {false, (*parser).low},
	"nodes": {true, func(p *parser, l *line) {
		l.nodes = int(l.integer(1, mostNodes))
		p.setting.Nodes, p.config.Nodes, p.config.Pace = l.nodes, l.nodes, slices.Repeat([]time.Duration{T}, l.nodes)
	}},
	"pace": {false, func(p *parser, l *line) {
		i := l.node()
		p.config.Pace[i] = l.timeAfter(0)
		p.once(l, givenOf("pace", i))
	}},
	"patience":  {true, func(p *parser, l *line) { p.config.Patience = l.timeAfter(0) }},
	"perpetual": {true, func(p *parser, _ *line) { p.config.Perpetual = true }},
	"rules":     {true, func(p *parser, l *line) { p.checksum = l.name() }},
	"run": {true, func(p *parser, l *line) {
		if l.more() { // whether they can be made shows in the run
			p.choices = l.name()
		}
	}},
	"seed": {true, func(p *parser, l *line) { p.config.Seed = l.integer(0, 1<<64-1) }},
	"set": {false, func(p *parser, l *line) {
		p.set(l, "set", &p.setting.Request)
		p.hasSets(l)
	}},
	"sets": {true, func(p *parser, l *line) {
		p.setting.Sets = l.name()
		p.hasSets(l)
	}},
	"show":      {true, (*parser).showing},
	"state":     {false, (*parser).state},
	"stay":      {true, func(p *parser, l *line) { p.config.Stay = l.durations(leastStay, aDuration+positive) }},
	"timeouts":  {true, func(p *parser, l *line) { p.setting.Timeouts = l.timeAfter(0) }},
	"topology":  {true, (*parser).topology},
	"unordered": {true, func(p *parser, _ *line) { p.config.Unordered = true }},
	"until":     {true, func(p *parser, l *line) { p.config.Until = l.timeAfter(0) }},
	"version": {true, func(_ *parser, l *line) {
		take(l, "version "+version+", the only one that this program reads", func(word string) (string, bool) {
			return word, word == version
		})
	}},
}

func (p *parser) set(l *line, directive string, sets *[][]messaging.ID) {
	i := l.node()
	l.phrase("=")
	if *sets == nil {
		*sets = make([][]messaging.ID, l.nodes)
	}
	(*sets)[i] = l.set()
	p.once(l, givenOf(directive, i))
}

func (p *parser) latency(l *line) {
	e, some := l.messages()
	if !some {
		p.once(l, "latency")
		p.config.Latency = l.durations(0, "a kind of message, two nodes such as S1->S2, or "+aDuration)
		return
	}
	expected := aDuration
	switch {
	case e.Ordinal > 0:
	case e.From == nil && e.To == nil:
		expected = "two nodes such as S1->S2, an ordinal such as #2, or " + aDuration
	default:
		expected = "an ordinal such as #2, or " + aDuration
	}
	e.Latency = l.durations(0, expected)
	p.except(l, e)
}

// exception reads which messages are lost; or duplicated, and perhaps the latency of the copies.
func (p *parser) exception(l *line, lose bool) {
	e, some := l.messages()
	if !some {
		l.unexpected("a kind of message, or two nodes such as S1->S2")
	}
	if e.Lose, e.Double = lose, !lose; e.Double && l.more() {
		e.Latency = l.durations(0, aDuration)
	}
	p.except(l, e)
}

func (p *parser) except(l *line, e Exception) {
	p.config.Except = append(p.config.Except, e)
	p.once(l, exceptionOf(e))
}

func (p *parser) at(l *line) {
	at := l.time()
	i := l.node()
	switch {
	case l.accept("crashes"):
		p.once(l, givenOf("a crash of", i))
		crash := Crash{Node: i, At: at}
		if l.accept("and") {
			l.phrase("restarts", "at")
			crash.Restart = l.timeAfter(at)
		}
		p.config.Crashes = append(p.config.Crashes, crash)
	case l.accept("asks"):
		p.once(l, requestOf(i, at))
		p.request(l, Request{Node: i, At: at})
	case l.accept("gets"):
		p.input(l, Input{Node: i, At: at})
	default:
		l.unexpected(`"asks", "gets" or "crashes"`)
	}
}

func (p *parser) request(l *line, r Request) {
	for l.accept("and") {
		switch {
		case r.Stay == 0 && l.accept("stays"):
			r.Stay = l.timeAfter(0)
		case r.GiveUp == 0 && l.accept("gives"):
			l.phrase("up", "at")
			r.GiveUp = l.timeAfter(r.At)
		default:
			l.unexpected(`"stays" or "gives up at", each at most once`)
		}
	}
	p.script = append(p.script, r)
	p.asking = p.line
	p.onlyOneKind(l)
}

// low reads: low load 100 entries at random gap 0..2 by S1 S2.
func (p *parser) low(l *line) {
	var load LowLoad
	p.load(l)
	if l.accept("at") {
		l.phrase("random")
		load.Random = true
	}
	load.Gap, load.Users = l.pause("gap"), l.by()
	p.config.Load = load
	p.onlyOneKind(l)
}

// high reads: high load 130 entries think 5 by S1 S2.
func (p *parser) high(l *line) {
	p.load(l)
	p.config.Load = HighLoad{Think: l.pause("think"), Users: l.by()}
	p.onlyOneKind(l)
}

func (p *parser) load(l *line) {
	p.once(l, aLoad)
	p.asking = p.line
	l.phrase("load")
	p.config.Entries = int(l.integer(1, mostEntries))
	l.phrase("entries")
}

// pause reads that of a load before a request, if it is given.
func (l *line) pause(word string) (d Distribution) {
	if l.accept(word) {
		d = l.durations(0, aDuration)
	}
	return d
}

func (l *line) by() (users []messaging.ID) {
	if l.accept("by") {
		users = l.set()
	}
	return users
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

// leastStay is a tick: a Request with Stay 0 would get the default.
const leastStay = 1

// onlyOneKind fails the line if there are both a load and single requests.
func (p *parser) onlyOneKind(l *line) {
	if before := p.given[aLoad]; before > 0 && p.script != nil {
		l.fail("expected single requests or a load, found both")
	}
}

// showing reads: show entries messages from 40.
func (p *parser) showing(l *line) {
	var names []string
	for _, s := range allSections {
		names = append(names, s.name)
	}
	for p.sections == nil || l.more() {
		if p.sections != nil && l.accept("from") {
			p.From = l.time()
			return
		}
		next := l.oneOf("one of these sections, each at most once: ", names...)
		names = slices.DeleteFunc(names, func(name string) bool { return name == next })
		p.sections = append(p.sections, next)
	}
}
