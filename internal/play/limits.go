package play

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
)

// What a page plays at most: it answers each step at once, and the text of a run comes from anybody.
const (
	mostText       = 1 << 16 // bytes
	mostDirectives = 400
	mostNodes      = 31 // as explore.CheckNodes
	mostChoices    = 10_000
	mostEvents     = 10_000
	mostTransit    = 1000
)

// read returns the directives of a text, without comments and what a scenario expects.
func read(text string) (all []string, err error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("the text of the run has %d bytes, and a page plays at most %d", len(text), mostText)
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if strings.TrimSpace(line) == "----" {
			break
		}
		for _, part := range notation.Directives(line) {
			if words := strings.Fields(part); len(words) > 0 {
				all = append(all, strings.Join(words, " "))
			}
		}
		if len(all) > mostDirectives {
			return nil, fmt.Errorf("the text of the run has more than %d directives, the most that a page plays", mostDirectives)
		}
	}
	return all, nil
}

// oneChoice is the first choice of a text. A point ends it, but for one in a delay, before a digit.
var oneChoice = regexp.MustCompile(`^(?:[^.]*\+[^.]*\.[0-9][^.]*|[^.]*)`)

var someSteps = regexp.MustCompile(`^s([0-9]+)$`)

// split returns the choices of a text one by one: of s5, five times s1, and with a result, c2, the choice that
// it is for. If they are too many, it returns the first.
func split(text string) (all []string, err error) {
	results := ""
	for text != "" {
		one := oneChoice.FindString(text)
		text = strings.TrimPrefix(text[len(one):], ".")
		if one == "" {
			return all, fmt.Errorf("nothing stands between two points, behind %d choices", len(all))
		}
		if strings.HasPrefix(one, "c") && text != "" {
			results += one + "."
			continue
		}
		times := 1
		if s := someSteps.FindStringSubmatch(one); s != nil {
			if times, err = strconv.Atoi(s[1]); err != nil || times > mostChoices {
				times = mostChoices + 1
			}
			if times > 0 { // otherwise it is refused when it is made
				one = "s1"
			}
			times = max(1, times)
		}
		if len(all)+times > mostChoices {
			return all, fmt.Errorf("the run has more than %d choices, the most that a page plays", mostChoices)
		}
		for range times {
			all = append(all, results+one)
			results = ""
		}
	}
	return all, nil
}

// full returns why no choice is made any more, or nil.
func (p *Play) full() error {
	switch {
	case len(p.made) >= mostChoices:
		return fmt.Errorf("the run has %d choices, the most that a page plays: go back first", mostChoices)
	case len(p.game.events()) >= mostEvents:
		return fmt.Errorf("the run has %d events, the most that a page plays: go back first", mostEvents)
	case p.game.transit() >= mostTransit:
		return fmt.Errorf("%d messages are in transit, the most that a page plays: go back first", mostTransit)
	}
	return nil
}

// number returns that of the first directive that begins with a word, or -1.
func number(directives []string, word string) int {
	text, given := value(directives, word)
	n, err := strconv.Atoi(text)
	if !given || err != nil {
		return -1
	}
	return n
}

// value returns what follows the word in the first directive that begins with it.
func value(directives []string, word string) (text string, given bool) {
	for _, d := range directives {
		first, rest, _ := strings.Cut(d, " ")
		if first == word {
			return rest, true
		}
	}
	return "", false
}

// without returns the directives without those that begin with one of the words.
func without(directives []string, words ...string) (all []string) {
	for _, d := range directives {
		first, _, _ := strings.Cut(d, " ")
		keep := true
		for _, word := range words {
			keep = keep && first != word
		}
		if keep {
			all = append(all, d)
		}
	}
	return all
}

// unknown returns an error that suggests names.
func unknown(kind, name string, all []Opening) error {
	names := make([]string, len(all))
	for k, o := range all {
		names[k] = o.Name
	}
	if len(names) == 0 {
		return errors.New("there is no " + kind + " " + name)
	}
	return fmt.Errorf("no %s %q: %s", kind, name, spelling.Choices("they are", name, names))
}
