package judge

import (
	"slices"
	"strings"
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/internal/broken"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

func claims(t *testing.T, name string) catalog.Algorithm {
	t.Helper()
	a, ok := catalog.Find(name)
	if !ok {
		t.Fatalf("the catalog has no %s", name)
	}
	return a
}

// Without the tag there is no verdict, and none that a lock is wrong.
func TestWithoutTag(t *testing.T) {
	if register.Hosted() {
		t.Skip("this build has the tag doorway_explore")
	}
	r := Run(Of(claims(t, "peterson"), func(int) mutex.Mutex { return peterson.New() }))
	if r.Fails != "" || r.Error != explore.ErrBuild.Error() {
		t.Errorf("%+v", r)
	}
}

// A right lock passes, and fails as soon as one claim is too bold.
func TestClaims(t *testing.T) {
	if !register.Hosted() {
		t.Skip("this build lacks the tag doorway_explore")
	}
	bold := func(name string, change func(*catalog.Claims)) Subject {
		a := claims(t, name)
		change(&a.Claims)
		return Of(a, func(n int) mutex.Mutex { return a.New(n) })
	}
	for _, c := range []struct {
		name, fails string
		change      func(*catalog.Claims)
	}{
		{"peterson", "", func(*catalog.Claims) {}},
		{"tournament", "", func(*catalog.Claims) {}},
		{"tournament", "FIFO", func(c *catalog.Claims) { c.FIFO = true }},
		{"lamportfast", "", func(*catalog.Claims) {}},
		{"lamportfast", "freedom from starvation", func(c *catalog.Claims) { c.StarvationFree = true }},
		{"bakery-classic", "accesses alone", func(c *catalog.Claims) { c.Reads.Of = func(int) int { return 2 } }},
		{"bakery-simple", "bounded numbers", func(c *catalog.Claims) { c.Numbers = "n" }},
	} {
		r := Run(bold(c.name, c.change))
		if r.Fails != c.fails || r.Error != "" {
			t.Errorf("%s: %q fails, want %q; %s %s", c.name, r.Fails, c.fails, r.Detail, r.Error)
		}
	}
	r := Run(Broken(broken.Variants[0]))
	if r.Fails != "exclusion" || r.Steps == 0 || !strings.Contains(r.Trace, "inside") {
		t.Errorf("%s: %q fails in %d steps:\n%s", broken.Variants[0].Name, r.Fails, r.Steps, r.Trace)
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
	if len(seen) != 8 {
		t.Errorf("not everybody comes: %v", seen)
	}
}

// Two of several processes are numbered from 0, and are themselves all the same.
func TestSome(t *testing.T) {
	a := claims(t, "bakery-classic")
	lock := a.New(4)
	two := some{&part{lock, []int{1, 3}}}
	if n := two.Processes(); n != 2 {
		t.Errorf("%d processes", n)
	}
	two.Lock(1)
	if two.TryLock(0) || lock.TryLock(0) {
		t.Error("two are inside")
	}
	lock.Unlock(3) // panics if it is not process 3 that is inside
	if err := two.LockContext(t.Context(), 0); err != nil {
		t.Error(err)
	}
	lock.Unlock(1)
}

func TestFind(t *testing.T) {
	none := []func(int) mutex.Mutex{}
	for _, args := range [][]string{{"bakery", "original"}, {"broken", broken.Variants[0].Name}} {
		if s, err := find(args, none); err != nil || s.New(2).Processes() != 2 {
			t.Errorf("%q: %v", args, err)
		}
	}
	var messages []string
	for _, args := range [][]string{{}, {"broken", "glass"}, {"glass", "original"}, {"bakery", "0"}} {
		_, err := find(args, none)
		if err == nil {
			t.Errorf("%q was found", args)
			continue
		}
		messages = append(messages, err.Error())
	}
	if want := []string{
		`[] is not a kind of lock, and which one`,
		`no broken lock is called "glass"`,
		`the catalog has no "glass"`,
		`there is no mutant 0: there are 0`,
	}; !slices.Equal(messages, want) {
		t.Errorf("%q, want %q", messages, want)
	}
}
