//go:build doorway_explore

package explore_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

// checked returns what explore says of g.
func checked(t *testing.T, g *lockProgram) (a answers, states int) {
	t.Helper()
	r, err := explore.Check(g.config())
	if err != nil {
		t.Log("refused: ", err)
		return answers{Refused: true}, 0
	}
	require.True(t, r.Vetted)
	if r.MutualExclusion.Status == explore.Fails {
		return answers{Steps: len(r.MutualExclusion.Trace.Schedule)}, 0
	}
	a = answers{
		MutualExclusion: holds(r.MutualExclusion), DeadlockFree: holds(r.DeadlockFree),
		StarvationFree: holds(r.StarvationFree), DespiteAborts: holds(r.StarvationFreeDespiteAborts),
		FIFO: holds(r.FIFO), RaceFree: holds(r.RaceFree), SafeRegisters: holds(r.SafeRegisters),
		Bypasses: r.Bypasses, BypassesByAll: r.BypassesByAll, Reads: r.Reads, Writes: r.Writes, Cut: r.Cut > 0,
	}
	if !a.FIFO {
		a.Bypassed = len(r.FIFO.Trace.Schedule)
	}
	for _, x := range r.Registers {
		k := 0
		_, err := fmt.Sscanf(x.Name, "reg[%d]", &k)
		require.NoError(t, err)
		a.Largest[k] = x.Largest
	}
	return a, r.States
}

// compare compares what the explorer and explore say of g, unless it has more states than
// most.
func compare(t *testing.T, g *lockProgram, most int) (want result, same, ok bool) {
	t.Helper()
	if want, ok = exploreProgram(g, most); !ok {
		return want, false, false
	}
	got, states := checked(t, g)
	require.Equal(t, want.answers, got, "the explorer says the first, and explore the second, of:\n%v", g)
	if got.MutualExclusion { // explore merges states, and makes no more
		require.LessOrEqual(t, states, want.States, "states of:\n%v", g)
	}
	return want, states == want.States, true
}

// config describes a check of g.
func (g *lockProgram) config() explore.Config {
	return explore.Config{New: func(int) mutex.Mutex { return newProgramLock(g) }, Processes: len(g.Entry), Cap: Cap, GiveUp: g.GiveUp}
}

func seeded(seed uint64) *lockProgram {
	return randomProgram(rand.New(rand.NewPCG(seed, 0)).IntN)
}

// The checker and the explorer agree on random programs, which have each property and
// lack it, and use each construct, often enough.
func TestPrograms(t *testing.T) {
	seeds := tier.Pick(250, 5000)
	c := coverage{}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			g := seeded(uint64(seed))
			want, same, ok := compare(t, g, tier.Pick(5_000, 20_000))
			c.add("explored", ok)
			if ok {
				c.result(want, same, g)
			}
		})
	}
	for what, n := range c {
		assert.GreaterOrEqual(t, n, seeds/125, "programs of %d: %s", seeds, what)
	}
	t.Log(c)
}

// A coverage counts programs.
type coverage map[string]int

func (c coverage) add(what string, yes bool) {
	c[what] += 0
	if yes {
		c[what]++
	}
}

func (c coverage) result(r result, same bool, g *lockProgram) {
	c.add("refused", r.Refused)
	c.add("violates mutual exclusion", r.Steps > 0)
	answers := reflect.ValueOf(r.answers)
	for k := range answers.NumField() {
		if f := answers.Field(k); r.MutualExclusion && f.Kind() == reflect.Bool && answers.Type().Field(k).Name != "Refused" {
			name := answers.Type().Field(k).Name
			c.add(name, f.Bool())
			if name != "MutualExclusion" && name != "RaceFree" { // mutual exclusion implies it
				c.add("not "+name, !f.Bool() && (name != "DespiteAborts" || g.GiveUp) && (name != "SafeRegisters" || !g.GiveUp))
			}
		}
	}
	c.add("any number of bypasses", r.Bypasses < 0)
	c.add("several bypasses", r.Bypasses > 1)
	c.add("as many states", r.MutualExclusion && same)
	for k := Load; k <= Doorway; k++ {
		uses := func(o Op) bool { return o.Kind == k }
		c.add(k.String(), r.MutualExclusion && has(g, uses))
	}
	c.add("forgets an abort", r.MutualExclusion && g.GiveUp && has(g, func(o Op) bool { return o.Forget }))
	c.add("TryLock differs", r.MutualExclusion && g.Try != nil)
	c.add("3 processes", r.MutualExclusion && len(g.Entry) == 3)
}

// has reports whether is is true of an operation of g.
func has(g *lockProgram, is func(Op) bool) bool {
	var in func(ops []Op) bool
	in = func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(o Op) bool { return is(o) || in(o.Body) || in(o.Else) })
	}
	return slices.ContainsFunc(slices.Concat(g.Entry, g.Try, g.Exit), in)
}

// FuzzLocks takes each byte for a choice of the generator. It needs -fuzzminimizetime 10x:
// minimizing an input can take a minute.
func FuzzLocks(f *testing.F) {
	for seed := range uint64(8) {
		choices := make([]byte, 64)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(choices)
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		compare(t, randomProgram(func(n int) (k int) {
			if len(choices) > 0 {
				k, choices = int(choices[0])%n, choices[1:]
			}
			return k
		}), 2000)
	})
}
