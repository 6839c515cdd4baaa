package lecture_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

//go:generate go test . -tags doorway_full -run HAW15|Docs -update

// chance returns a run determined by the seed: the number of nodes, their links,
// their requests, the durations, and the withdrawals.
func chance(p catalog.Protocol, seed uint64) sim.Config {
	n := 1 + int(seed*7%13)
	c := sim.Config{
		Algorithm: p.New(n), Nodes: n, Entries: 3*n + 5, Seed: seed,
		Unordered: !p.FIFO && seed%2 == 0, Perpetual: p.Perpetual, Invariant: p.Invariant,
		Latency: []sim.Distribution{sim.Constant(T), sim.Uniform(0, 2*T), sim.Exponential(T), sim.Uniform(T, 9*T)}[seed/2%4],
		Stay:    []sim.Distribution{sim.Constant(0), sim.Constant(T), sim.Exponential(3 * T)}[seed%3],
		Load: []sim.Load{
			sim.HighLoad{},
			sim.HighLoad{Think: sim.Uniform(0, 5*T)},
			sim.HighLoad{Think: sim.Exponential(40 * T)},
			sim.LowLoad{Random: true},
			sim.HighLoad{Users: all(n)[:(n+1)/2]},
		}[seed%5],
	}
	if seed%4 > 0 {
		c.GiveUp = float64(seed%4) / 4
		c.GiveUpAfter = sim.Uniform(0, 10*T)
	}
	return c
}

// HAW Hamburg, slide 15, safety and liveness; Reiser 2002, slides 5.3 and 5.4:
// mutual exclusion holds, there is no deadlock, and every request enters or is
// withdrawn, with random latencies, loads and withdrawals.
//
// A run is determined by its seed, event by event, also on other machines: testdata/traces.txt
// holds a sum of the first runs. After an intended change, run
// go test ./internal/proof/lecture -run HAW15 -update.
func TestHAW15SafetyAndLiveness(t *testing.T) {
	var sums strings.Builder
	for _, p := range catalog.Protocols {
		sum := sha256.New()
		for seed := range uint64(tier.Pick(traced, 1000)) {
			c := chance(p, seed)
			waits := make([]bool, c.Nodes)
			requests, over := 0, 0
			trace := sim.Trace(sum)
			c.Observe = func(e messaging.Event) {
				if seed < traced {
					trace(e)
				}
				switch e.Action {
				case "requested":
					requests++
					waits[e.From] = true
				case "entered", "gave up":
					over++
					waits[e.From] = false
				}
			}
			r := run(t, c)
			if seed < traced {
				sum.Write([]byte(r.String()))
			}
			assert.NotContains(t, waits, true, "%s, seed %d: nodes that still wait", p.Name, seed)
			if gaveUp := r.Withdrawn + r.Absorbed; r.Entries != c.Entries || requests != over || requests != r.Entries+gaveUp {
				t.Errorf("%s, seed %d: of %d requests %d entered and %d were given up, of %d entries to be made", p.Name, seed, requests, r.Entries, gaveUp, c.Entries)
			}
		}
		fmt.Fprintf(&sums, "%-30s %x\n", p.Name, sum.Sum(nil))
	}
	page.Golden(t, "testdata/traces.txt", "go test ./internal/proof/lecture -run HAW15 -update", sums.String())
}

// traced is how many runs of each algorithm have a sum.
const traced = 15
