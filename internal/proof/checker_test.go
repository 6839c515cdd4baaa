//go:build doorway_explore

package proof_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
)

// An instance is a row of the table of docs/checker.md: an exploration that took some
// states. Those of less than a thousand are left out.
type instance struct {
	lock                 string
	n                    int
	states, steps, bytes string
	took                 time.Duration
}

const fewest = 1000 // states of an instance

// took has the times of explorations.
var took = map[string]time.Duration{}

func key(lock string, n int) string { return fmt.Sprint(lock, n) }

// checkerPage compares the table of docs/checker.md with what was explored. Its bytes
// and times are measurements: those of the last update.
func checkerPage(t *testing.T, all []*proof.Result) {
	t.Helper()
	const file, name = "../../docs/checker.md", "explorations"
	shown := parse(t, page.Part(t, file, name, again))
	if page.Updating() {
		require.True(t, tier.Full, "the table needs all sizes: %s", again)
		shown = nil
	}
	var now []instance
	for _, r := range all {
		for _, report := range r.Reports {
			if report.States < fewest {
				continue
			}
			i := instance{
				lock: r.Algorithm.Name, n: report.Processes, states: grouped(report.States), steps: grouped(report.Transitions),
				bytes: "–", took: took[key(r.Algorithm.Name, report.Processes)],
			}
			if report.States >= 100*fewest {
				i.bytes = strconv.FormatInt(report.Bytes/int64(report.States), 10)
			}
			if k := slices.IndexFunc(shown, func(s instance) bool { return s.lock == i.lock && s.n == i.n }); k >= 0 {
				i.bytes, i.took = shown[k].bytes, shown[k].took
			}
			now = append(now, i)
		}
	}
	if !tier.Full { // those that were not explored are as they are shown
		for _, s := range shown {
			if s.n > 3 {
				now = append(now, s)
			}
		}
		slices.SortStableFunc(now, func(a, b instance) int {
			order := func(i instance) int {
				return slices.IndexFunc(all, func(r *proof.Result) bool { return r.Algorithm.Name == i.lock })*100 + i.n
			}
			return order(a) - order(b)
		})
	}
	page.Generated(t, file, name, again, write(now))
}

// write returns the table, and the sums of the times.
func write(all []instance) string {
	var b strings.Builder
	b.WriteString("| lock | n | states | steps | bytes a state | time |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	var total, quick time.Duration
	var times []time.Duration
	for _, i := range all {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", i.lock, i.n, i.states, i.steps, i.bytes, duration(i.took))
		total += i.took
		times = append(times, i.took)
		if i.n <= 3 {
			quick += i.took
		}
	}
	slices.Sort(times)
	most := times[len(times)-1] + times[len(times)-2]
	fmt.Fprintf(&b, "\nTogether these take %.0f s, without the two longest %.0f s, and those of at most three processes %.0f s.\n",
		total.Seconds(), (total - most).Seconds(), quick.Seconds())
	return b.String()
}

func parse(t *testing.T, table string) (all []instance) {
	t.Helper()
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 6 || cells[1] == "n" || strings.HasPrefix(cells[1], "-") {
			continue
		}
		n, err := strconv.Atoi(cells[1])
		require.NoError(t, err)
		d, err := time.ParseDuration(strings.ReplaceAll(cells[5], " ", ""))
		require.NoError(t, err)
		all = append(all, instance{cells[0], n, cells[2], cells[3], cells[4], d})
	}
	return all
}

func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(10*time.Millisecond).Milliseconds())
	}
	return strconv.FormatFloat(d.Round(10*time.Millisecond).Seconds(), 'f', 2, 64) + " s"
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return s
}
