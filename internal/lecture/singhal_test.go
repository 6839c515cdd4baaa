package lecture_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/singhal"
)

// Reiser 2002, slides 5.51 and 5.58: at first the i-th site asks the i-1 before it,
// and the token comes: i messages, for S6 six. The first enters without any.
func TestReiser5_58SinghalStaircase(t *testing.T) {
	for _, n := range sizes {
		for holder := range messaging.ID(n) {
			sum := 0
			for i := range n {
				asks := (holder + messaging.ID(i)) % messaging.ID(n)
				r := run(t, sim.Config{Algorithm: singhal.New, Nodes: n, Holder: holder, Load: together(asks)})
				assert.Equal(t, i, r.Kinds["REQUEST"], "%d sites, S%d has the token: S%d asks others", n, holder+1, asks+1)
				assert.Equal(t, min(i, 1), r.Kinds["TOKEN"], "%d sites, S%d has the token: times that it moves", n, holder+1)
				sum += r.Messages
			}
			assert.True(t, near(halfOf(n), float64(sum)/float64(n)), "%d sites: the mean is %g, not %g", n, float64(sum)/float64(n), halfOf(n))
		}
	}
}

// halfOf is the mean number of messages of a lone request, 0 + 2 + 3 + … + N over N.
func halfOf(n int) float64 { return float64(n+1)/2 - 1/float64(n) }

// Prabhakaran, slides 28 and 34: "average N/2" messages at low load. It is (N+1)/2 - 1/N if
// each site is as likely to ask; if all ask in turn, each asks all others.
func TestPrabhakaran34SinghalLowLoad(t *testing.T) {
	many := tier.Pick(4000, 40000)
	for _, n := range []int{4, 5, 10, 20} {
		c := sim.Config{Algorithm: singhal.New, Nodes: n, Load: sim.LowLoad{Random: true}, Entries: many}
		assert.InEpsilon(t, halfOf(n), run(t, c).PerEntry, 0.05, "%d sites that ask at random", n)

		c.Load, c.Entries = sim.LowLoad{}, 3*n
		staircase, rest := n*(n+1)/2-1, 2*n*n
		assert.Equal(t, staircase+rest, run(t, c).Messages, "%d sites that ask in turn: messages", n)
	}
}

// Prabhakaran, slide 34: N messages at high load. All N that ask at once take N-1 each,
// (N-1)² requests and the token N-1 times; later entries take N.
func TestPrabhakaran34SinghalHighLoad(t *testing.T) {
	for _, n := range sizes {
		r := run(t, sim.Config{Algorithm: singhal.New, Nodes: n, Load: together(all(n)...)})
		assert.Equal(t, (n-1)*(n-1), r.Kinds["REQUEST"], "%d sites that ask at once", n)
		assert.Equal(t, n-1, r.Kinds["TOKEN"], "%d sites that ask at once", n)

		r = run(t, sim.Config{Algorithm: singhal.New, Nodes: n, Load: sim.HighLoad{}, Entries: 100 * n})
		assert.InDelta(t, n, r.PerEntry, 0.02, "%d sites that always ask", n)
	}
}

// Reiser 2002, slide 5.64: S2, S4, S6 and S8 of thirteen sites have asked at the same
// time. The columns are the sites S13 to S1, then the token; the rows are of whom.
func TestReiser5_64SinghalMatrix(t *testing.T) {
	const slide = `
		S13  N N N N N N N N N N N N N  N
		S12  R N N N N N N N N N N N N  N
		S11  R R N N N N N N N N N N N  N
		S10  R R R N N N N N N N N N N  N
		S9   R R R R N N N N N N N N N  N
		S8   R R R R R H R R R R R R R  N
		S7   R R R R R N N N N N N N N  N
		S6   R R R R R N R N R R R R R  N
		S5   R R R R R N R N N N N N N  N
		S4   R R R R R N R N R N R R R  N
		S3   R R R R R N R N R N N N N  N
		S2   R R R R R N R N R N R N R  N
		S1   R R R R R N R N R N R N N  N`
	text, err := os.ReadFile("../../examples/scenarios/singhal-thirteen.txt")
	require.NoError(t, err)
	s, err := sim.ReadScenario("singhal-thirteen", bytes.NewReader(text))
	require.NoError(t, err)
	var columns [][]string // of S1 to S13, and of the token
	for _, state := range regexp.MustCompile(`(?m)^S\d+ at end: .* SV \[([^]]*)\]`).FindAllStringSubmatch(s.Expected, -1) {
		columns = append(columns, strings.Fields(state[1]))
	}
	token := regexp.MustCompile(`TSV \[([^]]+)\]`).FindAllStringSubmatch(s.Expected, -1)
	require.Len(t, columns, 13)
	require.Len(t, token, 1, "tokens")
	for row := range strings.SplitSeq(strings.TrimSpace(slide), "\n") {
		cells := strings.Fields(row)
		of := 13 - strings.Count(slide[:strings.Index(slide, row)], "\n") // S13 is in the first line
		for k, want := range cells[1:14] {
			assert.Equal(t, want, columns[12-k][of], "the row of %s, column S%d", cells[0], 13-k)
		}
		assert.Equal(t, cells[14], strings.Fields(token[0][1])[of], "the row of %s, the token", cells[0])
	}
}
