//go:build doorway_explore

package program_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/explore/internal/program"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

const most = 20_000 // states

// checked returns what explore says of g.
func checked(t *testing.T, g *program.Program) (a program.Answers, states int) {
	t.Helper()
	r, err := explore.Check(explore.Config{
		New: func(int) mutex.Mutex { return program.New(g) }, Processes: len(g.Entry), Cap: program.Cap, GiveUp: g.GiveUp,
	})
	if err != nil {
		t.Log(err)
		a.Refused = true
		return a, 0
	}
	require.True(t, r.Vetted)
	holds := func(v explore.Verdict) bool { return v.Status == explore.Holds }
	if !holds(r.MutualExclusion) {
		a.Steps = len(r.MutualExclusion.Trace.Schedule)
		return a, r.States
	}
	a = program.Answers{
		MutualExclusion: true, DeadlockFree: holds(r.DeadlockFree), StarvationFree: holds(r.StarvationFree),
		DespiteAborts: holds(r.StarvationFreeDespiteAborts), FIFO: holds(r.FIFO), RaceFree: holds(r.RaceFree), SafeRegisters: holds(r.SafeRegisters),
		Bypasses: r.Bypasses, Reads: r.Reads, Writes: r.Writes, Cut: r.Cut > 0,
	}
	for _, x := range r.Registers {
		var k int
		if _, err := fmt.Sscanf(x.Name, "reg[%d]", &k); err != nil {
			t.Fatal(err, x.Name)
		}
		a.Largest[k] = x.Largest
	}
	return a, r.States
}

func seeded(seed uint64) *program.Program {
	return program.Generate(rand.New(rand.NewPCG(seed, 0)).IntN)
}

// The checker and the explorer agree on random programs.
func TestPrograms(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 5000) {
		g := seeded(seed)
		want, ok := program.Explore(g, most)
		if !ok {
			continue
		}
		got, _ := checked(t, g)
		if g.Try != nil { // whether the choice of a method is a step depends on whether they differ
			want.Steps = got.Steps
		}
		require.Equal(t, want.Answers, got, "seed %d: the explorer, and explore:\n%v", seed, g)
	}
}
