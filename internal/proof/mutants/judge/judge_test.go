package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/messaging"
)

func claims(t *testing.T, name string) catalog.Algorithm {
	t.Helper()
	a, ok := catalog.Find(name)
	require.True(t, ok, "the catalog has no %s", name)
	return a
}

// Without the tag there is no verdict, not even that a lock is wrong.
func TestWithoutTag(t *testing.T) {
	if hook.Hosted {
		t.Skip("this build has the tag doorway_explore")
	}
	a := claims(t, "peterson")
	r := Run(a, Setups(a))
	assert.Empty(t, r.Fails)
	assert.Equal(t, explore.ErrBuild.Error(), r.Error)
}

// A correct lock passes, and fails as soon as one claim is too strong.
func TestClaims(t *testing.T) {
	if !hook.Hosted {
		t.Skip("this build lacks the tag doorway_explore")
	}
	for _, c := range []struct {
		name, fails string
		change      func(*catalog.Claims)
	}{
		{"peterson", "", func(*catalog.Claims) {}},
		{"tournament", "", func(*catalog.Claims) {}},
		{"tournament", "FIFO", func(c *catalog.Claims) { c.FIFO = true }},
		{"lamportfast", "", func(*catalog.Claims) {}},
		{"lamportfast", "starvation-free", func(c *catalog.Claims) { c.StarvationFree = true }},
		{"bakery-classic", "accesses alone", func(c *catalog.Claims) { c.Reads.Of = func(int) int { return 2 } }},
		{"bakery-simple", "bounded numbers", func(c *catalog.Claims) { c.Numbers = "n" }},
	} {
		a := claims(t, c.name)
		c.change(&a.Claims)
		r := Run(a, Setups(a))
		assert.Equal(t, c.fails, r.Fails, "%s fails; %s", c.name, r.Detail)
		assert.Empty(t, r.Error, c.name)
	}
	r := Run(broken(catalog.Broken[0]))
	if r.Fails != "mutual exclusion" || r.Steps == 0 {
		t.Errorf("%s: %q fails in %d steps", catalog.Broken[0].Name, r.Fails, r.Steps)
	}
}

func TestPairs(t *testing.T) {
	seen := map[int]bool{}
	for _, p := range pairs() {
		if len(p) != 2 || p[0] >= p[1] || p[1] > 7 {
			t.Errorf("%v is no pair of eight", p)
		}
		seen[p[0]], seen[p[1]] = true, true
	}
	assert.Len(t, seen, 8, "processes that take part")
}

// Two of several processes are numbered from 0, and keep their identity in the lock.
func TestSome(t *testing.T) {
	a := claims(t, "bakery-classic")
	lock := a.New(4)
	two := some{only(lock, 1, 3)}
	assert.Equal(t, 2, two.Processes())
	two.Lock(1)
	assert.False(t, two.TryLock(0), "two are inside")
	assert.False(t, lock.TryLock(0), "two are inside")
	lock.Unlock(3) // panics if it is not process 3 that is inside
	assert.NoError(t, two.LockContext(t.Context(), 0))
	lock.Unlock(1)
}

func TestFind(t *testing.T) {
	for _, args := range [][]string{
		{"peterson", ""}, {"peterson", "quick"}, {"naimitrehel", ""}, {"naimitrehel", "explored"}, {catalog.Broken[0].Name, ""},
	} {
		judge, err := find(args)
		require.NoError(t, err, "%q", args)
		assert.NotNil(t, judge, "%q", args)
	}
	_, err := find([]string{"glass", ""})
	assert.EqualError(t, err, `the catalog has no "glass"`)
}

// A quick subject lacks only the setup in which three processes may abort.
func TestQuick(t *testing.T) {
	all := Setups(claims(t, "bakery"))
	last := len(all) - 1
	assert.Equal(t, "n=3 giving up", all[last].String())
	assert.Equal(t, all[:last], Quick(slices.Clone(all)))
}

// rows returns rows of the catalog; those of wrong variants have no invariant of their own.
func rows(t *testing.T, names ...string) (all []catalog.Protocol) {
	t.Helper()
	for _, name := range names {
		p, ok := catalog.FindProtocol(name)
		require.True(t, ok, name)
		p.Invariant = p.Declared.Invariant
		all = append(all, p)
	}
	return all
}

// A correct algorithm passes. One with another's costs fails, or which a check cannot even make.
func TestNodes(t *testing.T) {
	right := rows(t, "naimitrehel", "suzukikasami")
	for _, r := range []Result{RunNodes(right), ExploreNodes(right)} {
		assert.Empty(t, r.Fails, "%s: %s", r.Setup, r.Detail)
		assert.Empty(t, r.Error)
	}

	other := rows(t, "suzukikasami", "ricartagrawala")
	other[0].Costs = other[1].Costs
	assert.Contains(t, RunNodes(other[:1]).Fails, "messages")

	other[0].New = func(int) messaging.Algorithm { panic("no such algorithm") }
	r := RunNodes(other[:1])
	assert.Equal(t, "no node panics", r.Fails)
	assert.Equal(t, "no such algorithm", r.Detail)
}
