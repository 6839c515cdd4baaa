package play

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
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
	case len(p.events) >= mostEvents:
		return fmt.Errorf("the run has %d events, the most that a page plays: go back first", mostEvents)
	case p.game.transit() >= mostTransit:
		return fmt.Errorf("%d messages are in transit, the most that a page plays: go back first", mostTransit)
	}
	return nil
}

// wordOf returns the word with which a directive begins.
func wordOf(directive string) string {
	word, _, _ := strings.Cut(directive, " ")
	return word
}

// value returns what follows the word in the first directive that begins with it.
func value(directives []string, word string) (text string, given bool) {
	k := slices.IndexFunc(directives, func(d string) bool { return wordOf(d) == word })
	if k < 0 {
		return "", false
	}
	return strings.TrimSpace(directives[k][len(word):]), true
}

// has reports whether a directive begins with the word.
func has(directives []string, word string) bool {
	_, given := value(directives, word)
	return given
}

// number returns that of the first directive that begins with a word, or -1.
func number(directives []string, word string) int {
	text, _ := value(directives, word)
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// without returns the directives without those that begin with one of the words.
func without(directives []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(directives), func(d string) bool { return slices.Contains(words, wordOf(d)) })
}

// unknown returns an error that suggests names.
func unknown(kind, name string, all []lead) error {
	names := make([]string, len(all))
	for k, l := range all {
		names[k] = l.Name
	}
	if len(names) == 0 {
		return errors.New("there is no " + kind + " " + name)
	}
	return fmt.Errorf("no %s %q: %s", kind, name, spelling.Choices("they are", name, names))
}
