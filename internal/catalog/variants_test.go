//go:build doorway_explore

package catalog_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/refutation"
	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/quorum"
)

// The printed rules are refuted. With one request, withdrawal or crash less, nothing fails.
func TestPrintedExplored(t *testing.T) {
	for _, r := range refutation.All {
		t.Run(r.Protocol, func(t *testing.T) {
			violates, history, err := r.Run()
			require.NoError(t, err)
			require.Equal(t, r.Violates, violates)
			assert.Equal(t, r.Events, history.Length, "events of the shortest history: %s", history)
			for _, less := range smaller(r) {
				violates, history, err := less.Run()
				require.NoError(t, err)
				assert.Empty(t, violates, "%+v: %s", less, history)
			}
			if r.Unordered {
				r.Unordered = false
				violates, _, err := r.Run()
				require.NoError(t, err)
				assert.Empty(t, violates, "it is right with FIFO links")
			}
		})
	}
}

// smaller returns the instances with one request, withdrawal or crash less.
func smaller(r refutation.Refutation) (all []refutation.Refutation) {
	for i, k := range r.Requests {
		if k > 0 {
			less := r
			less.Requests = slices.Clone(r.Requests)
			less.Requests[i]--
			all = append(all, less)
		}
	}
	if less := r; r.Withdrawals > 0 {
		less.Withdrawals--
		all = append(all, less)
	}
	if less := r; r.Crashes > 0 {
		less.Crashes--
		all = append(all, less)
	}
	return all
}

// failure checks an instance with FIFO links, and returns how it fails, in a word of
// nodetest.Failure, and a shortest history; "" if it does not.
func failure(t *testing.T, a messaging.Algorithm, in instance) (kind, history string) {
	t.Helper()
	r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: len(in.requests), Requests: in.requests, Withdrawals: in.withdrawals})
	if kind := nodetest.Failure(err); kind != "" {
		return kind, err.Error()
	}
	require.NoError(t, err)
	all := r.Failures()
	switch {
	case len(all) == 0:
		return "", ""
	case r.MutualExclusion.History != nil:
		kind = "exclusion"
	case r.DeadlockFree.History != nil && r.DeadlockFree.History.Loop < 0:
		kind = "deadlock"
	default:
		kind = "endless"
	}
	return kind, all[0].String()
}

// The smallest number of nodes with which the printed rules of Maekawa's algorithm
// deadlock is four, if all quorums have the same size and contain the node itself;
// if not, it is three. In either case it needs three requests.
func TestPrintedMaekawaNeedsFour(t *testing.T) {
	if slow {
		t.Skip("explores hundreds of quorum systems, whose explorations share nothing")
	}
	for name, a := range map[string]func(quorum.System) messaging.Algorithm{
		"without late failed": variantOf(t, "maekawa/late-failed").With, "comparing with lock only": variantOf(t, "maekawa/lock-only").With,
	} {
		for n := 1; n <= 3; n++ {
			equal, other := deadlocks(t, a, n)
			t.Logf("%s, %d nodes: of the systems of quorums of equal size %v, of the others %v deadlock", name, n, equal, other)
			if equal.found > 0 || equal.of == 0 || (other.found > 0) != (n == 3) {
				t.Errorf("%s, %d nodes: that is wrong", name, n)
			}
		}
		four := a(must(t, quorum.Majority, 4))
		for _, c := range []struct {
			requests []int
			want     string
		}{{[]int{1, 1, 1, 0}, "deadlock"}, {[]int{2, 2, 0, 0}, ""}} {
			kind, history := failure(t, four, instance{c.requests, 0})
			assert.Equal(t, c.want, kind, "%s, four nodes, %v requests: %s", name, c.requests, history)
		}
	}
}

// A share is a number found, of a total.
type share struct{ found, of int }

func (s share) String() string { return fmt.Sprintf("%d of %d", s.found, s.of) }

// deadlocks explores the algorithm with each quorum system of n nodes, and returns
// the number with which it deadlocks, of those whose quorums have equal size and of
// the rest. It must not fail in any other way.
func deadlocks(t *testing.T, a func(quorum.System) messaging.Algorithm, n int) (equal, other share) {
	t.Helper()
	for sets := range quorums(n) {
		s, err := quorum.Sets(sets)
		if err != nil {
			continue // two have no member in common
		}
		kind, in := &other, instance{[]int{1, 1, 1}[:n], 0}
		if p := s.Properties(); p.Size.Least == p.Size.Most {
			kind = &equal
			if tier.Full {
				in.requests = []int{2, 2, 1}[:n]
			}
		}
		kind.of++
		switch fails, history := failure(t, a(s), in); fails {
		case "deadlock":
			kind.found++
		default:
			assert.Empty(t, fails, "%v: %s", sets, history)
		}
	}
	return equal, other
}

func must(t *testing.T, build func(int) (quorum.System, error), n int) quorum.System {
	t.Helper()
	s, err := build(n)
	require.NoError(t, err)
	return s
}

// quorums yields all choices of a set for each of n nodes that contains the node.
func quorums(n int) iter.Seq[[][]messaging.ID] {
	return func(yield func([][]messaging.ID) bool) {
		for choice := range 1 << (n * n) {
			sets := make([][]messaging.ID, n)
			for k := range n * n {
				if choice>>k&1 == 1 {
					sets[k/n] = append(sets[k/n], messaging.ID(k%n))
				}
			}
			if ownMembers(sets) && !yield(sets) {
				return
			}
		}
	}
}

func ownMembers(sets [][]messaging.ID) bool {
	for i, set := range sets {
		if !slices.Contains(set, messaging.ID(i)) {
			return false
		}
	}
	return true
}

// rare are variants that random schedules hardly ever refute, since a later request resolves the
// deadlock. TestPrintedExplored refutes them in the full tests, and
// TestReiser5_53SinghalPrintedDeadlocks always.
var rare = []string{"singhal/printed"}

// The printed rules fail, and in the way that is claimed.
func TestPrintedFail(t *testing.T) {
	for _, p := range catalog.Printed {
		if slices.Contains(rare, p.Name) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			want := "exclusion"
			switch p.Broken.Refuted {
			case variant.Progress:
				want = "deadlock"
			case variant.Contract:
				want = "panic"
			}
			assert.True(t, fails(p, want), "%s is claimed, but no schedule shows it", p.Broken.Why)
		})
	}
}

// fails reports whether p fails in that way in some schedule. In others it may fail
// in another way: nodes reject impossible messages, which occur here.
func fails(p catalog.Protocol, want string) bool {
	for _, n := range []int{2, 3, 4, 5, 7, 13} {
		for _, c := range schedules(p, n, tier.Pick(300, 2000)) {
			if nodetest.Failure(nodetest.Run(p.New(n), c)) == want {
				return true
			}
		}
	}
	return false
}

func variantOf(t *testing.T, name string) catalog.Protocol {
	t.Helper()
	p, ok := catalog.FindProtocol(name)
	require.True(t, ok, name)
	return p
}

func TestGivenOfPrinted(t *testing.T) { rejectsSets(t, catalog.Printed) }
