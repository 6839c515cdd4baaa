// Package ownlock_test keeps docs/own-lock.md and docs/own-lock-reference.md true: it
// follows them in a new module beside this one, and compares the output with the pages.
package ownlock_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
)

var ownLock = page.Page{
	File:      "../../docs/own-lock.md",
	Root:      "../..",
	Directory: "mylock",
	Test:      []string{"go", "test", "-tags", "doorway_explore", "-v"},
	Reports:   1, // that of explore.Check
	Sources:   []string{"explore", "mutex", "register", "cmd/doorway"},
}

const reference = "../../docs/own-lock-reference.md"

func TestPage(t *testing.T) {
	if tier.Full {
		installed(t)
	}
	ownLock.Follow(t)
}

// installed has the command doorway in PATH, as the page installs it.
func installed(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-C=../../cmd/doorway", "-o", filepath.Join(bin, "doorway"), ".")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestReference(t *testing.T) {
	if tier.Full {
		installed(t)
	}
	more := ownLock
	more.File, more.After = reference, ownLock.File
	more.Follow(t)
}

// The first page is half as long as the one that it replaced.
func TestLength(t *testing.T) {
	text := read(t, ownLock.File)
	assert.LessOrEqual(t, strings.Count(text, "\n"), 526/2, "lines")
	assert.LessOrEqual(t, len(strings.Fields(text)), 2936/2, "words")
}

// The reference has a line for every property.
func TestReport(t *testing.T) {
	text := read(t, reference)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[explore.Report]()) {
		if f.Type == reflect.TypeFor[explore.Verdict]() {
			assert.Contains(t, text, "\n| `"+f.Name+"` |", "a property")
		}
	}
}

// rules has a phrase of each rule of the reference that a lock can break in its
// source, and expressions that match the refusals by it.
var rules = map[string][]string{
	"no loop of plain loads":                      {"plain loads"},
	"Keep state in registers and local variables": {"outlives the call", "reached through", "declared outside"},
	"no field that is written":                    {"reads (exported )?field"},
	"no package-level variable":                   {"package-level variable"},
	"no goroutine and no channel":                 {"a go statement", "channel"},
	"no `defer` and no `recover`":                 {"a defer statement", "recover"},
	"no `unsafe`, and no `range` over a map":      {"unsafe", "over a map"},
	"Of the standard library":                     {"of the standard library", "variables of the standard library", "must be called by its name", "may pass it only numbers"},
	"Call no `print`":                             {"predeclared functions"},
	"Use a register only through its methods":     {"only through its methods"},
	"Make registers, and what contains them":      {"makes a register"},
	"Call only functions whose source":            {"source", "interface", "a type parameter", "outside of the package", "a function value"},
	"Call `MakeProcesses` in the constructor":     {"part of a protocol"},
	"A function given to `Repeat`":                {"from one try to the next"},
	"A function given to `Pure`":                  {"only the result|no effect but its result"},
	"The condition of an await":                   {"judges the value|test the value"},
	"In an entry given to `Try` or `Context`":     {"does not use the result"},
	"A function given to `Step.Do`":               {"one (atomic )?step"},
}

// Every refusal of package contract is by a rule of the reference, and every rule that
// can be broken in the source has a refusal.
func TestRules(t *testing.T) {
	text, refusals := read(t, reference), refusals(t)
	require.Greater(t, len(refusals), 20, "refusals")
	used := map[string]bool{}
	for _, refusal := range refusals {
		var by []string
		for rule, words := range rules {
			for _, w := range words {
				if regexp.MustCompile(w).MatchString(refusal) {
					by = append(by, rule)
					used[w] = true
				}
			}
		}
		assert.NotEmpty(t, by, "no rule of %s covers this refusal: %s", reference, refusal)
	}
	for rule, words := range rules {
		assert.True(t, slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "| ") && strings.Contains(line, rule)
		}), "%s has no rule %q", reference, rule)
		for _, w := range words {
			assert.True(t, used[w], "no refusal by the rule %q contains %q", rule, w)
		}
	}
}

var (
	constant = regexp.MustCompile(`(?m)^const (\w+) = "(.*)"$`)
	report   = regexp.MustCompile(`(?m)^.*\.report\((.*)\)$`)
	promise  = regexp.MustCompile(`(?m)^\t"[\w.]+":\s+\{(.*?), (?:true|false), `) // of a function given to package register
)

// refusals returns the messages of package contract, as they are in its source.
func refusals(t *testing.T) (all []string) {
	t.Helper()
	text := source(t, "../../explore/internal/contract")
	for _, m := range append(report.FindAllStringSubmatch(text, -1), promise.FindAllStringSubmatch(text, -1)...) {
		message := m[1]
		if strings.HasSuffix(message, ", where") {
			continue // it ends with a promise
		}
		for _, c := range constant.FindAllStringSubmatch(text, -1) {
			message = strings.Replace(message, c[1], c[2], 1)
		}
		all = append(all, message)
	}
	return all
}

// The reference names the limits of what is explored, and the functions that a protocol
// may call; the documentation of package contract names their packages.
func TestLimits(t *testing.T) {
	text := read(t, reference)
	prose := strings.Join(strings.Fields(text), " ")
	limits := source(t, "../../explore/internal/automaton")
	for name, sentence := range map[string]string{
		"MaxProcesses": "from 1 to %s,", "MaxValues": "A register can hold %s values", "MaxRegisters": "a lock can have %s registers",
	} {
		limit := regexp.MustCompile(name + `\s+= (\d+)`).FindStringSubmatch(limits)
		require.NotNil(t, limit, name)
		assert.Contains(t, prose, fmt.Sprintf(sentence, limit[1]))
	}

	tables := listed(t)
	doc, _, _ := strings.Cut(read(t, "../../explore/internal/contract/contract.go"), "\npackage contract")
	doc = strings.Join(strings.Fields(strings.ReplaceAll(doc, "//", " ")), " ")
	for pkg, functions := range tables {
		assert.Contains(t, text, fmt.Sprintf("\n| `%s` | `%s` |", pkg, strings.Join(functions, "` `")), "what a protocol may call")
		assert.Contains(t, doc, pkg+",", "the documentation of package contract names what a protocol may call")
	}
	assert.Equal(t, len(tables), strings.Count(between(text, "| package | functions |", "\n\n"), "\n| `"), "the packages of the table")
}

// listed returns the functions that a protocol may call, by package.
func listed(t *testing.T) map[string][]string {
	t.Helper()
	list := between(source(t, "../../explore/internal/contract"), "var allowed = map[string]string{", "\n}")
	all := map[string][]string{}
	for _, m := range regexp.MustCompile("(?s)\"([\\w/]+)\":\\s+`(.*?)`").FindAllStringSubmatch(list, -1) {
		all[m[1]] = strings.Fields(m[2])
	}
	require.NotEmpty(t, all)
	return all
}

// between returns what is between two strings in text.
func between(text, begin, end string) string {
	_, text, _ = strings.Cut(text, begin)
	text, _, _ = strings.Cut(text, end)
	return text
}

// source returns the source of a package, without its tests.
func source(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			all.WriteString(read(t, name))
		}
	}
	return all.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
