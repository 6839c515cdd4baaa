package tutorial

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/docs/page"
)

var ownLock = tutorial{
	file:      "../../../docs/own-lock.md",
	root:      "../../..",
	directory: "mylock",
	test:      []string{"go", "test", "-tags", "doorway_explore", "-v"},
	sources:   []string{"explore", "mutex", "register"},
}

func TestOwnLock(t *testing.T) { ownLock.follow(t) }

// The page has a line for every property.
func TestReport(t *testing.T) {
	text := page.Read(t, ownLock.file)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[explore.Report]()) {
		if f.Type == reflect.TypeFor[explore.Verdict]() {
			assert.Contains(t, text, "\n| `"+f.Name+"` |", "a property")
		}
	}
}

// The page names the limits of what is explored; the documentation of package contract
// names the packages whose functions a protocol may call.
func TestLimits(t *testing.T) {
	prose := strings.Join(strings.Fields(page.Read(t, ownLock.file)), " ")
	limits := source(t, "../../../explore/internal/automaton")
	for name, sentence := range map[string]string{
		"MaxProcesses": "from 1 to %s,", "MaxValues": "A register can hold %s values", "MaxRegisters": "a lock can have %s registers",
	} {
		limit := regexp.MustCompile(name + `\s+= (\d+)`).FindStringSubmatch(limits)
		require.NotNil(t, limit, name)
		assert.Contains(t, prose, fmt.Sprintf(sentence, limit[1]))
	}

	list := between(page.Read(t, "../../../explore/internal/contract/allow.go"), "var allowed = map[string]string{", "\n}")
	packages := regexp.MustCompile(`"([\w/]+)":`).FindAllStringSubmatch(list, -1)
	require.NotEmpty(t, packages)
	doc, _, _ := strings.Cut(page.Read(t, "../../../explore/internal/contract/contract.go"), "\npackage contract")
	doc = strings.Join(strings.Fields(strings.ReplaceAll(doc, "//", " ")), " ")
	for _, m := range packages {
		assert.Contains(t, doc, m[1]+",", "the documentation of package contract names what a protocol may call")
	}
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
