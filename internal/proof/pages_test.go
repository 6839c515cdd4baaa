package proof_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
)

//go:generate go test -run TestPages . -update

const locksHeading = "| lock | source | mutual exclusion | deadlock-free | starvation-free | FIFO | bypass bound | fast path | registers |" +
	" tolerates safe registers | uncontended accesses | numbers up to | every interleaving of n = | states |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

const (
	again    = "go run ./internal/proof/run -update"
	generate = "go generate ./internal/proof"
)

// rowsOf returns the file with what is computed of a lock, or of an algorithm for nodes.
func rowsOf(of, name string) string { return filepath.Join("testdata", of, name+".txt") }

// The tables of docs/locks.md and docs/checker.md have the rows that are computed
// of each lock.
func TestPagesOfLocks(t *testing.T) {
	var locks, explorations strings.Builder
	var all, quick, longest, next time.Duration
	for _, a := range catalog.Algorithms {
		row, rest, _ := strings.Cut(page.Read(t, rowsOf("locks", a.Name)), "\n")
		locks.WriteString(row + "\n")
		for line := range strings.Lines(rest) {
			cells := strings.Split(line, " | ")
			took, err := time.ParseDuration(strings.NewReplacer(" ", "", "|", "", "\n", "").Replace(cells[len(cells)-1]))
			require.NoError(t, err, line)
			if all += took; !strings.Contains(line, "| – |") {
				explorations.WriteString(line)
			}
			longest, next = max(longest, took), max(min(longest, took), next)
			if cells[1] <= "3" {
				quick += took
			}
		}
	}
	page.Generated(t, "../../docs/locks.md", "properties", generate, locksHeading+locks.String())
	page.Generated(t, "../../docs/checker.md", "explorations", generate, fmt.Sprintf(
		"| lock | n | states | steps | bytes a state | time |\n| --- | ---: | ---: | ---: | ---: | ---: |\n%s\n"+
			"Together these take %.0f s, without the two longest %.0f s, and those of at most three processes %.0f s.\n",
		explorations.String(), all.Seconds(), (all-longest-next).Seconds(), quick.Seconds()))
}
