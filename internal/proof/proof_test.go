//go:build doorway_explore

package proof_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
)

var update = flag.Bool("update", false, "write the table of what holds into the README")

// What the catalog claims of every lock is computed from the lock, and the
// table of the README is what was computed.
func TestProperties(t *testing.T) {
	var all []*proof.Result
	for _, a := range catalog.Algorithms {
		t.Run("lock="+a.Name, func(t *testing.T) {
			begin := time.Now()
			r, err := proof.Of(a, proof.Options{Short: testing.Short(), Done: func(s catalog.Size, r *explore.Report) {
				t.Logf("%d processes: %d states, %d steps, %d bytes a state, %v", s.Processes, r.States, r.Transitions, r.Bytes/int64(r.States), time.Since(begin).Round(10*time.Millisecond))
				begin = time.Now()
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Differences() {
				t.Error(d)
			}
			for _, report := range r.Reports {
				if !report.Vetted {
					t.Errorf("%d processes: the source was not examined", report.Processes)
				}
			}
			all = append(all, r)
		})
	}
	if testing.Short() || len(all) < len(catalog.Algorithms) || t.Failed() {
		return // the table needs all
	}
	readme(t, proof.Markdown(all))
}

// readme compares table with that of the README, or writes it there.
func readme(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../../README.md", "<!-- table: go test -tags doorway_explore ./internal/proof -update -->\n", "<!-- end of table -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for a table between %q and %q", path, begin, end)
	}
	if old == table {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is stale: run go test -tags doorway_explore ./internal/proof -update", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
