package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// The names of what can be given once, if it is not the first word of a line: keys of
// Scenario.given.
const (
	aLoad   = "a load"
	aGiveUp = "give up"
)

func setOf(directive string, i messaging.ID) string { return directive + " " + name(i) }
func crashOf(i messaging.ID) string                 { return "a crash of " + name(i) }
func exceptionOf(e Exception) string {
	return "a latency, loss or duplication of " + messagesOf(e)
}

func requestOf(i messaging.ID, at time.Duration) string {
	return fmt.Sprintf("a request of %s at %s", name(i), inT(at))
}

// single maps the first word of a line that may be given once to what reads the rest.
var single = map[string]func(p *parser, l *line){
	"algorithm":   func(p *parser, l *line) { p.setting.Algorithm = l.name() },
	"detect":      func(p *parser, l *line) { p.config.Detection = l.durations(0, aDuration) },
	"duplication": func(p *parser, l *line) { p.config.Duplication = l.probability() },
	"holder":      func(p *parser, l *line) { p.setting.Holder = l.node() },
	"loss":        func(p *parser, l *line) { p.config.Loss = l.probability() },
	"nodes":       func(p *parser, l *line) { p.setting.Nodes = int(l.integer(1, mostNodes)) },
	"patience":    func(p *parser, l *line) { p.config.Patience = l.timeAfter(0) },
	"perpetual":   func(p *parser, _ *line) { p.config.Perpetual = true },
	"rules":       func(p *parser, l *line) { p.checksum = l.name() },
	"run":         (*parser).run,
	"seed":        func(p *parser, l *line) { p.config.Seed = l.integer(0, 1<<64-1) },
	"sets":        (*parser).namedSets,
	"show":        (*parser).showing,
	"stay":        func(p *parser, l *line) { p.config.Stay = l.durations(leastStay, aDuration+positive) },
	"timeouts":    func(p *parser, l *line) { p.setting.Timeouts = l.timeAfter(0) },
	"topology":    (*parser).topology,
	"unordered":   func(p *parser, _ *line) { p.config.Unordered = true },
	"until":       func(p *parser, l *line) { p.config.Until = l.timeAfter(0) },
	"version":     (*parser).version,
}

// repeated is likewise of lines of which there may be several.
var repeated = map[string]func(p *parser, l *line){
	"at":      (*parser).at,
	"double":  (*parser).double,
	"expect":  (*parser).expect,
	"give":    (*parser).giveUp,
	"high":    (*parser).high,
	"inform":  func(p *parser, l *line) { p.set(l, "inform", &p.setting.Inform) },
	"latency": (*parser).latency,
	"links":   (*parser).links,
	"lose":    (*parser).lose,
	"low":     (*parser).low,
	"pace":    (*parser).pace,
	"set":     func(p *parser, l *line) { p.set(l, "set", &p.setting.Request) },
	"state":   (*parser).state,
}

func (p *parser) set(l *line, directive string, sets *[][]messaging.ID) {
	i := l.node()
	l.phrase("=")
	set := l.set()
	if l.err != nil {
		return
	}
	p.once(l, setOf(directive, i))
	if *sets == nil {
		*sets = make([][]messaging.ID, l.nodes)
	}
	(*sets)[i] = set
	p.checkSetsOnce(l)
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

func (p *parser) lose(l *line) {
	e, some := l.messages()
	if !some {
		l.unexpected("a kind of message, or two nodes such as S1->S2")
	}
	e.Lose = true
	p.except(l, e)
}

func (p *parser) double(l *line) {
	e, some := l.messages()
	if !some {
		l.unexpected("a kind of message, or two nodes such as S1->S2")
	}
	e.Double = true
	if l.more() {
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
		p.once(l, crashOf(i))
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

func paceOf(i messaging.ID) string { return "pace " + name(i) }

// pace reads: pace S2 1.25.
func (p *parser) pace(l *line) {
	i := l.node()
	d := l.timeAfter(0)
	if l.err != nil {
		return
	}
	p.once(l, paceOf(i))
	if p.config.Pace == nil {
		p.config.Pace = slices.Repeat([]time.Duration{T}, l.nodes)
	}
	p.config.Pace[i] = d
}

// leastStay is a tick: a Request with Stay 0 would get the default.
const leastStay = 1

// onlyOneKind fails the line if there are both a load and single requests.
func (p *parser) onlyOneKind(l *line) {
	if before := p.given[aLoad]; before > 0 && p.script != nil {
		l.fail("expected single requests or a load, found both")
	}
}

func (p *parser) showing(l *line) {
	p.section(l)
	for l.more() {
		if l.accept("from") {
			p.From = l.time()
			return
		}
		p.section(l)
	}
}

func (p *parser) section(l *line) {
	what := "one of these sections, each at most once: " + strings.Join(allSections, ", ")
	p.sections = append(p.sections, take(l, what, func(word string) (string, bool) {
		return word, slices.Contains(allSections, word) && !slices.Contains(p.sections, word)
	}))
}

func (p *parser) version(l *line) {
	take(l, "version "+version+", the only one that this program reads", func(word string) (string, bool) { return word, word == version })
}

// run reads choices, of which there may be none. Whether they can be made shows in the
// run.
func (p *parser) run(l *line) {
	if l.more() {
		p.choices = l.name()
	}
}
