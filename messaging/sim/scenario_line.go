package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.org/doorway/messaging"
)

// A line is read word by word. The first unexpected word becomes its error, and
// nothing is read after it.
type line struct {
	words []string // not read yet
	nodes int      // of the scenario; 0: not known yet
	err   error
}

// unexpected fails the line with what was expected instead of the next word.
func (l *line) unexpected(expected string) {
	found := "the end of the line"
	if len(l.words) > 0 {
		found = strconv.Quote(l.words[0])
	}
	l.fail("expected %s, found %s", expected, found)
}

func (l *line) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// take reads a word that convert accepts.
func take[V any](l *line, expected string, convert func(word string) (V, bool)) V {
	if l.more() {
		if v, ok := convert(l.words[0]); ok {
			l.words = l.words[1:]
			return v
		}
	}
	l.unexpected(expected)
	var none V
	return none
}

func (l *line) more() bool { return l.err == nil && len(l.words) > 0 }

// end fails the line if there are more words.
func (l *line) end() {
	if l.more() {
		l.unexpected("nothing more")
	}
}

// accept reads the next word if it is this one, and reports whether it is.
func (l *line) accept(word string) bool {
	if !l.more() || l.words[0] != word {
		return false
	}
	l.words = l.words[1:]
	return true
}

// phrase reads these words.
func (l *line) phrase(words ...string) {
	for _, word := range words {
		if !l.accept(word) {
			l.unexpected(strconv.Quote(word))
		}
	}
}

func (l *line) name() string {
	return take(l, "a name", func(word string) (string, bool) { return word, true })
}

// oneOf reads one of these words, which what names together.
func (l *line) oneOf(what string, words ...string) string {
	return take(l, what+strings.Join(words, ", "), func(word string) (string, bool) {
		return word, slices.Contains(words, word)
	})
}

func (l *line) integer(least, most uint64) uint64 {
	return take(l, fmt.Sprintf("a whole number, %d to %d", least, most), func(word string) (uint64, bool) {
		n, err := strconv.ParseUint(word, 10, 64)
		return n, err == nil && n >= least && n <= most
	})
}

func (l *line) node() messaging.ID { return take(l, l.aNode(), l.convertNode) }

func (l *line) aNode() string { return fmt.Sprintf("a node, S1 to S%d", l.nodes) }

func (l *line) convertNode(word string) (messaging.ID, bool) {
	digits, ok := strings.CutPrefix(word, "S")
	n, err := strconv.ParseUint(digits, 10, 31)
	return messaging.ID(n) - 1, ok && err == nil && n >= 1 && n <= uint64(l.nodes)
}

// set reads one or more different nodes, up to the end of the line.
func (l *line) set() []messaging.ID {
	ids := []messaging.ID{l.node()}
	had := messaging.SetOf(ids...)
	for l.more() {
		ids = append(ids, take(l, "another "+l.aNode()[2:], func(word string) (messaging.ID, bool) {
			id, ok := l.convertNode(word)
			return id, ok && !had.Has(id)
		}))
		had.Add(ids[len(ids)-1])
	}
	return ids
}

const (
	latest    = 1_000_000 // T
	aTime     = "a time, 0 to 1000000 with at most six digits after the point"
	aDuration = "a duration such as 1.5, 1..3 or exp(2), 0 to 1000000 with at most six digits after the point"
	positive  = ", and more than 0"
)

func (l *line) time() time.Duration { return take(l, aTime, parseTime) }

func (l *line) timeAfter(before time.Duration) time.Duration {
	return take(l, aTime+", and after "+inT(before), func(word string) (time.Duration, bool) {
		d, ok := parseTime(word)
		return d, ok && d > before
	})
}

// durations reads a time, a range of times for a uniform distribution, or exp and the mean of
// an exponential one.
func (l *line) durations(least time.Duration, expected string) Distribution {
	return take(l, expected, func(word string) (Distribution, bool) {
		if word, exp := strings.CutPrefix(word, "exp("); exp {
			word, closed := strings.CutSuffix(word, ")")
			mean, ok := parseTime(word)
			return Exponential(mean), ok && closed && mean >= least
		}
		lower, upper, ranges := strings.Cut(word, "..")
		lo, ok := parseTime(lower)
		if !ranges {
			return Constant(lo), ok && lo >= least
		}
		hi, okHi := parseTime(upper)
		return Uniform(lo, hi), ok && okHi && least <= lo && lo <= hi
	})
}

// parseTime reads a number of T exactly.
func parseTime(word string) (time.Duration, bool) {
	const digits = 6 // of T, which is a million ticks
	whole, fraction, point := strings.Cut(word, ".")
	if len(fraction) > digits || point && fraction == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole, 10, 32)
	ticks, errTicks := strconv.ParseUint(fraction+strings.Repeat("0", digits-len(fraction)), 10, 32)
	d := time.Duration(n)*T + time.Duration(ticks)
	return d, err == nil && errTicks == nil && d <= latest*T
}

// messages reads which messages a latency, loss or duplication applies to: a kind, a link
// or both, and then the ordinal of one of them.
func (l *line) messages() (e Exception, some bool) {
	if l.more() && isKind(l.words[0]) {
		e.Kind, some = l.name(), true
	}
	if l.more() && strings.Contains(l.words[0], "->") {
		link := take(l, "two nodes, such as S1->S2 or S1->*", l.convertLink)
		e.From, e.To, some = link[0], link[1], true
	}
	if some && l.more() && l.words[0][0] == '#' {
		e.Ordinal = take(l, fmt.Sprintf("an ordinal, #1 to #%d", mostEvents), func(word string) (int, bool) {
			n, err := strconv.ParseUint(word[1:], 10, 31)
			return int(n), err == nil && n >= 1 && n <= mostEvents
		})
	}
	return e, some
}

func (l *line) convertLink(word string) (link [2][]messaging.ID, ok bool) {
	from, to, _ := strings.Cut(word, "->")
	for k, end := range []string{from, to} {
		if end == "*" {
			continue // nil is all nodes
		}
		id, ok := l.convertNode(end)
		if !ok {
			return link, false
		}
		link[k] = []messaging.ID{id}
	}
	return link, true
}

// isKind reports whether the word can be the name of a kind, as [messaging.Kind]
// returns it: in capitals, and not a node.
func isKind(word string) bool {
	digits, isS := strings.CutPrefix(word, "S")
	isNode := isS && digits != "" && strings.Trim(digits, "0123456789") == ""
	return word == strings.ToUpper(word) && unicode.IsLetter([]rune(word)[0]) && !isNode && !strings.Contains(word, "->")
}

// probability reads a number in plain digits that is more than 0.
func (l *line) probability() float64 {
	return take(l, "a probability such as 0.25, more than 0 and at most 1", func(word string) (float64, bool) {
		f, err := strconv.ParseFloat(word, 64)
		return f, err == nil && strings.Trim(word, "0123456789.") == "" && f > 0 && f <= 1
	})
}
