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

// The reference has a line for every property.
func TestReport(t *testing.T) {
	text := page.Read(t, reference)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[explore.Report]()) {
		if f.Type == reflect.TypeFor[explore.Verdict]() {
			assert.Contains(t, text, "\n| `"+f.Name+"` |", "a property")
		}
	}
}

// The reference names the limits of what is explored, and the functions that a protocol
// may call; the documentation of package contract names their packages.
func TestLimits(t *testing.T) {
	text := page.Read(t, reference)
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
	doc, _, _ := strings.Cut(page.Read(t, "../../explore/internal/contract/contract.go"), "\npackage contract")
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
			all.WriteString(page.Read(t, name))
		}
	}
	return all.String()
}
