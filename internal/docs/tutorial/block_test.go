package tutorial

import (
	"fmt"
	"regexp"
	"strings"
)

// A block is the text between two fences, or a heading.
type block struct {
	file       string // to save it in; "": none
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

// change changes files by a diff. Each hunk must fit in one place of one
// file. Lines between hunks are @@.
func change(files map[string]string, diff string) error {
	for hunk := range strings.SplitSeq(diff, "@@\n") {
		from, to := sides(hunk)
		places, in := 0, ""
		for name, text := range files {
			if n := strings.Count(text, from); n > 0 {
				places, in = places+n, name
			}
		}
		if places != 1 {
			return fmt.Errorf("these lines are in the files %d times:\n%s", places, from)
		}
		files[in] = strings.Replace(files[in], from, to, 1)
	}
	return nil
}

// sides returns the text that a hunk replaces, and its replacement.
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

// The prefix that go test gives to the first line of a logged message, and to the
// other lines.
var (
	logged = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: `)
	indent = regexp.MustCompile(logged.String() + `|(?m)^        `)
)

// excerpt returns the lines shown if output contains them. Otherwise it returns as
// many lines, beginning with the first line shown, or if output lacks that line, with
// the failure, which is logged first.
func excerpt(output, shown string) string {
	plain := "\n" + indent.ReplaceAllString(output, "")
	if shown != "" && strings.Contains(plain, "\n"+shown) {
		return shown
	}
	first, _, _ := strings.Cut(shown, "\n")
	at := strings.Index(plain, "\n"+first+"\n")
	if failure := logged.FindStringIndex(output); (at < 0 || first == "") && failure != nil {
		plain, at = "\n"+indent.ReplaceAllString(output[failure[0]:], ""), 0
	}
	lines := strings.SplitAfterN(plain[1+max(0, at):], "\n", 1+max(1, strings.Count(shown, "\n")))
	return strings.Join(lines[:len(lines)-1], "")
}

var times = regexp.MustCompile(`\b(\d+\.\d+s|\d+ms)\b`)

// steady returns output without what differs from run to run.
func steady(output string) string { return times.ReplaceAllString(output, "0.0s") }
