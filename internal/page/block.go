package page

import (
	"fmt"
	"regexp"
	"strings"
)

// A block of a page is one between fences, or a heading.
type block struct {
	file       string // "": it is not saved
	language   string // "": a heading
	body       string
	line       int // of the page, where the body begins
	start, end int // of the body, in the page
}

var fence = regexp.MustCompile("(?ms)(?:Save this as\\s`([^`]+)`:\n\n)?^```([a-z]+)\n(.*?)^```$|^#+ [^\n]+$")

func blocks(text string) (all []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		var b block
		if m[4] >= 0 {
			b = block{language: text[m[4]:m[5]], body: text[m[6]:m[7]], start: m[6], end: m[7]}
			b.line = 1 + strings.Count(text[:b.start], "\n")
		}
		if m[2] >= 0 {
			b.file = text[m[2]:m[3]]
		}
		all = append(all, b)
	}
	return all
}

// change returns a file changed by a diff, of which each hunk is to fit in one
// place. Lines between hunks are @@.
func change(file, diff string) (string, error) {
	for hunk := range strings.SplitSeq(diff, "@@\n") {
		from, to := sides(hunk)
		if n := strings.Count(file, from); n != 1 {
			return "", fmt.Errorf("these lines are in it %d times:\n%s", n, from)
		}
		file = strings.Replace(file, from, to, 1)
	}
	return file, nil
}

// sides returns what a hunk replaces, and what by.
func sides(hunk string) (from, to string) {
	for line := range strings.Lines(hunk) {
		text := strings.TrimLeft(line[:1], "+- ") + line[1:]
		if line[0] != '+' {
			from += text
		}
		if line[0] != '-' {
			to += text
		}
	}
	return from, to
}

// What go test puts in front of the first line that is logged at a time, and of
// each other.
var (
	logged = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: `)
	indent = regexp.MustCompile(logged.String() + `|(?m)^        `)
)

// excerpt returns the lines shown if output has them; otherwise as many from where
// the first of them is, or else from where it says what is wrong: that is logged
// after so many reports, if there are so many.
func excerpt(output, shown string, reports int) string {
	plain := "\n" + indent.ReplaceAllString(output, "")
	if shown != "" && strings.Contains(plain, "\n"+shown) {
		return shown
	}
	first, _, _ := strings.Cut(shown, "\n")
	at := strings.Index(plain, "\n"+first+"\n")
	if all := logged.FindAllStringIndex(output, 1+reports); (at < 0 || first == "") && len(all) > 0 {
		plain, at = "\n"+indent.ReplaceAllString(output[all[len(all)-1][0]:], ""), 0
	}
	lines := strings.SplitAfterN(plain[1+max(0, at):], "\n", 1+max(1, strings.Count(shown, "\n")))
	return strings.Join(lines[:len(lines)-1], "")
}

var times = regexp.MustCompile(`\b\d+\.\d+s\b`)

// steady returns what is the same each time.
func steady(output string) string { return times.ReplaceAllString(output, "0.0s") }
