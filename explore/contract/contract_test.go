package contract_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/doorway/explore/contract"
)

// The library holds its own contract, and so do the locks that are wrong: they
// are explored as well.
func TestLibrary(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"peterson", "tournament", "lamportfast", "bakery", "internal/broken"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			found, err := contract.Check(filepath.Join("..", "..", dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range found {
				t.Error(b)
			}
			t.Log(time.Since(begin))
		})
	}
}

// Each directory of testdata breaks rules in ways that are plausible, beside
// what comes close and is allowed. A comment says what is wrong with its line.
func TestRules(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", entry.Name())
			found, err := contract.Check(dir)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, found, wanted(t, dir))
		})
	}
}

// A want is a sentence expected on a line: `// want "regexp"`, of what
// [contract.Breach.String] returns after the line.
type want struct {
	sentence *regexp.Regexp
	met      bool
}

var comment = regexp.MustCompile("// want (.*)$")

func wanted(t *testing.T, dir string) map[string][]*want {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]*want{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			m := comment.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			at := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			for rest := strings.TrimSpace(m[1]); rest != ""; {
				quoted, err := strconv.QuotedPrefix(rest)
				if err != nil {
					t.Fatalf("%s: %s: %v", at, rest, err)
				}
				s, err := strconv.Unquote(quoted)
				if err != nil {
					t.Fatal(err)
				}
				all[at] = append(all[at], &want{sentence: regexp.MustCompile("^" + s + "$")})
				rest = strings.TrimSpace(rest[len(quoted):])
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s says nothing of what is wrong in it", dir)
	}
	return all
}

func compare(t *testing.T, found []contract.Breach, wanted map[string][]*want) {
	t.Helper()
	for _, b := range found {
		at := fmt.Sprintf("%s:%d", filepath.Base(b.File), b.Line)
		sentence := strings.TrimPrefix(b.String(), at+": ")
		i := slices.IndexFunc(wanted[at], func(w *want) bool { return !w.met && w.sentence.MatchString(sentence) })
		if i < 0 {
			t.Errorf("unexpected: %s", b)
			continue
		}
		wanted[at][i].met = true
	}
	for _, at := range slices.Sorted(maps.Keys(wanted)) {
		for _, w := range wanted[at] {
			if !w.met {
				t.Errorf("%s: not found: %s", at, w.sentence)
			}
		}
	}
}
