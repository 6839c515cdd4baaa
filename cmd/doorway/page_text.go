package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
)

// longestRun is the longest text that the page opens, in bytes.
const longestRun = 1 << 16

// text returns what the page is to show, as its address has it; "": what it shows by itself.
func (p *paging) text(s streams, operands []string) (string, error) {
	if len(operands) == 0 {
		return "", nil
	}
	what, err := p.operand(s, operands, "algorithm, scenario or run", "an algorithm, a scenario or a run")
	if err != nil {
		return "", err
	}
	if slices.Contains(p.words(), what) {
		return what, nil
	}
	if strings.ContainsAny(what, ";\n") || leads.MatchString(what) { // as in no name of a file
		text, err := p.opens("the operand", what)
		if err != nil {
			return "", p.mistaken("%v", err)
		}
		return text, nil
	}
	if isName(what) {
		return "", p.unknown("algorithm, scenario or run", what, "doorway list shows the algorithms")
	}
	text, err := readRun(what)
	if err != nil {
		return "", err
	}
	return p.opens(what, text)
}

// readRun reads a file, but no more of it than shows that it is too long.
func readRun(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, longestRun+1))
	return string(text), err
}

var (
	comments   = regexp.MustCompile(`(?m)^#.*\n`)                                 // that an address need not have
	afterwards = regexp.MustCompile(`(?ms)^[ \t]*----[ \t]*$.*`)                  // what the scenario expects
	leads      = regexp.MustCompile(`(?m)^[ \t]*(?:opening|challenge) [^;\n]*;?`) // which only the page knows
)

// opens returns a run, or the scenario of a file, as an address has it; or the error that it is neither. That quotes
// nothing of a file that does not begin like one.
func (p *paging) opens(name, text string) (string, error) {
	if len(text) > longestRun {
		return "", fmt.Errorf("%s is longer than %d bytes, and the page opens no run that is", name, longestRun)
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	text = afterwards.ReplaceAllString(text, "")
	all := directives(text)
	short := strings.TrimSpace(comments.ReplaceAllString(text+"\n", ""))
	if slices.Contains(p.words(), short) {
		return short, nil
	}
	if len(all) == 0 || !slices.Contains([]string{"nodes", "processes", "lock", "version", "opening", "challenge"}, all[0][0]) {
		return "", fmt.Errorf("%s is neither a scenario nor a run: those begin with nodes, processes, lock, version, opening or challenge", name)
	}
	scenario := leads.ReplaceAllString(text, "")
	strange := func(d []string) bool { return !ofLock(d) && !slices.Contains(besides, d[0]) }
	switch {
	case len(directives(scenario)) == 0:
		return short, nil
	case slices.ContainsFunc(all, ofLock):
		if slices.ContainsFunc(all, strange) {
			return "", fmt.Errorf("%s is no run of a lock: that consists of processes, lock, cap, give up, version, rules and run", name)
		}
		return short, nil
	case !slices.ContainsFunc(all, func(d []string) bool { return d[0] == "run" }):
		scenario += "\nrun" // unlike doorway run, the page needs no requests
	}
	return short, newScene(name, []byte(scenario), nil).unread
}

// besides are what else there is in a run of a lock.
var besides = []string{"opening", "challenge", "cap", "give", "version", "rules", "run"}

// directives returns the words of each directive of a run.
func directives(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		for _, d := range notation.Directives(line) {
			if words := strings.Fields(d); len(words) > 0 {
				all = append(all, words)
			}
		}
	}
	return all
}

func ofLock(directive []string) bool { return directive[0] == "processes" || directive[0] == "lock" }

// known returns an error if a run has an algorithm that is neither of the library nor one's own.
func (p *paging) known(text string, own *ownCode) error {
	locks := subjects(right, wrong, leaving)
	for _, d := range directives(text) {
		what, all, is := "", []subject(nil), false
		switch {
		case len(d) != 2 || own != nil && d[1] == own.subject().Name:
			continue
		case d[0] == "lock":
			what, all = "lock of processes", locks
			_, is = find(locks, d[1])
		case d[0] == "algorithm":
			what, all = "algorithm of nodes", algorithms()
			_, is = algorithm(d[1])
		default:
			continue
		}
		if !is {
			return p.mistaken("no %s %q: %s", what, d[1], cmp.Or(spelling.Suggest(d[1], catalog.Names(all)), "doorway list shows them"))
		}
	}
	return nil
}
