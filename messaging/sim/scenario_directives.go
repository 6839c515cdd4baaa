package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// The names of what can be given once: the keys of Scenario.given.
const (
	anAlgorithm = "algorithm"
	aHolder     = "holder"
	aLoad       = "a load"
	aDetection  = "detect"
	aSet        = "set"
	someSets    = "sets"
	aLink       = "links"
	aTopology   = "topology"
	aTimeout    = "timeouts"
	anInform    = "inform"
	aVersion    = "version"
	aChecksum   = "rules"
	aRun        = "run"
)

func setOf(directive string, i messaging.ID) string { return directive + " " + name(i) }
func crashOf(i messaging.ID) string                 { return "a crash of " + name(i) }
func exceptionOf(e Exception) string {
	return "a latency, loss or duplication of " + messagesOf(e)
}

func requestOf(i messaging.ID, at time.Duration) string {
	return fmt.Sprintf("a request of %s at %s", name(i), inT(at))
}

// Each of these methods reads a directive after its first word.

func (p *parser) nodes(l *line) {
	p.once(l, "nodes")
	p.setting.Nodes = int(l.integer(1, mostNodes))
	p.config.Nodes = p.setting.Nodes
}

func (p *parser) algorithmName(l *line) {
	p.once(l, anAlgorithm)
	p.setting.Algorithm = l.name()
}

func (p *parser) holder(l *line) {
	p.once(l, aHolder)
	p.setting.Holder = l.node()
	p.config.Holder = p.setting.Holder
}

func (p *parser) requestSet(l *line) { p.set(l, aSet, &p.setting.Request) }
func (p *parser) informSet(l *line)  { p.set(l, anInform, &p.setting.Inform) }

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

func (p *parser) unordered(l *line) {
	p.once(l, "unordered")
	p.config.Unordered = true
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

func (p *parser) low(l *line) {
	entries, pause, by := p.load(l, "gap", true)
	p.config.Load, p.config.Entries = LowLoad{Users: by, Random: pause.random, Gap: pause.length}, entries
}

func (p *parser) high(l *line) {
	entries, pause, by := p.load(l, "think", false)
	p.config.Load, p.config.Entries = HighLoad{Users: by, Think: pause.length}, entries
}

func (p *parser) load(l *line, word string, random bool) (entries int, pause pause, by []messaging.ID) {
	p.once(l, aLoad)
	p.asking = p.line
	l.phrase("load")
	entries = int(l.integer(1, mostEntries))
	l.phrase("entries")
	pause = l.pause(word, random)
	if l.accept("by") {
		by = l.set()
	}
	p.onlyOneKind(l)
	return entries, pause, by
}

// onlyOneKind fails the line if there are both a load and single requests.
func (p *parser) onlyOneKind(l *line) {
	if before := p.given[aLoad]; before > 0 && p.script != nil {
		l.fail("expected single requests or a load, found both")
	}
}

// leastStay is a tick: a Request with Stay 0 would get the default.
const leastStay = 1

func (p *parser) stay(l *line) {
	p.once(l, "stay")
	p.config.Stay = l.durations(leastStay, aDuration+positive)
}

func (p *parser) detect(l *line) {
	p.once(l, aDetection)
	p.config.Detection = l.durations(0, aDuration)
}

func (p *parser) seed(l *line) {
	p.once(l, "seed")
	p.config.Seed = l.integer(0, 1<<64-1)
}

func (p *parser) until(l *line) {
	p.once(l, "until")
	p.config.Until = l.timeAfter(0)
}

func (p *parser) showing(l *line) {
	p.once(l, "show")
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
	p.once(l, aVersion)
	take(l, "version "+version+", the only one that this program reads", func(word string) (string, bool) { return word, word == version })
}

func (p *parser) rules(l *line) {
	p.once(l, aChecksum)
	p.checksum = l.name()
}

// run reads choices, of which there may be none. Whether they can be made shows in the
// run.
func (p *parser) run(l *line) {
	p.once(l, aRun)
	if l.more() {
		p.choices = l.name()
	}
}
