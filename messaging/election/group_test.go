package election_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// No goroutine of a group is left after Close, whatever a test did with it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A candidate leads in the next term as soon as its user has it hold an election; one that is
// broken panics instead or, if it is node 1, removes node 0.
type candidate struct {
	start  messaging.Start
	broken bool
	Term   messaging.Time
}

func candidates(broken bool) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &candidate{start: start, broken: broken} }
}

func (c *candidate) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if c.broken && c.start.Self == 1 {
		out.Emit(messaging.Removed{Node: 0})
		return
	}
	if c.broken {
		messaging.Refuse("candidate", c.start.Self, from, m, "it is broken")
	}
	c.Term++
	out.Emit(c.Term)
	out.Emit(election.Elected{Leader: c.start.Self, Term: c.Term})
}

// Each user learns who leads, whichever nodes hold the election, and at whatever time it asks.
func TestGroup(t *testing.T) {
	const nodes = 5
	for seed := range uint64(20) {
		g := election.NewGroup(nodes, bully.New(time.Second, 3*time.Second), cluster.Unordered(seed))
		var users sync.WaitGroup
		for i := range nodes {
			users.Go(func() { assert.NoError(t, g.Hold(i)) })
			users.Go(func() {
				for range 2 {
					e, err := g.Leader(t.Context(), i)
					assert.NoError(t, err)
					assert.Equal(t, messaging.ID(nodes-1), e.Leader)
				}
			})
			users.Go(func() {
				for e := range g.Changes(t.Context(), i) {
					assert.Equal(t, messaging.ID(nodes-1), e.Leader)
					break
				}
			})
		}
		users.Wait()
		g.Close()
	}
}

// Leaders that were missed are not yielded later, nor the latest twice. A reader that begins late
// begins with the latest.
func TestMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := election.NewGroup(1, candidates(false))
		var terms []messaging.Time
		var listener sync.WaitGroup
		require.NoError(t, g.Hold(0))
		listener.Go(func() {
			for e := range g.Changes(t.Context(), 0) {
				if terms = append(terms, e.Term); len(terms) == 1 {
					for range 3 {
						assert.NoError(t, g.Hold(0))
					}
				}
			}
		})
		synctest.Wait()
		assert.Equal(t, []messaging.Time{1, 4}, terms)
		require.NoError(t, g.Hold(0))
		synctest.Wait()
		assert.Equal(t, []messaging.Time{1, 4, 5}, terms)
		for e := range g.Changes(t.Context(), 0) {
			assert.Equal(t, election.Elected{Term: 5}, e)
			break
		}
		g.Close()
		listener.Wait()
	})
}

// Close ends what waits, and later calls.
func TestClose(t *testing.T) {
	g := election.NewGroup(2, bully.New(time.Second, 3*time.Second))
	var waiting sync.WaitGroup
	ended := func() {
		_, err := g.Leader(t.Context(), 0)
		assert.ErrorIs(t, err, cluster.ErrClosed)
		for e := range g.Changes(t.Context(), 1) {
			assert.Fail(t, "a node leads", "%+v", e)
		}
	}
	for range 10 {
		waiting.Go(ended)
	}
	g.Close()
	waiting.Wait()
	ended()
	assert.ErrorIs(t, g.Hold(0), cluster.ErrClosed)
	g.Close()

	g = election.NewGroup(1, candidates(false))
	require.NoError(t, g.Hold(0))
	g.Close()
	_, err := g.Leader(t.Context(), 0)
	assert.ErrorIs(t, err, cluster.ErrClosed, "a leader that is known no longer leads")
}

// A node that panics closes the cluster, as one that removes a live node does, and that ends what waits.
func TestClusterCloses(t *testing.T) {
	for why, closes := range map[string]func(g *election.Group){
		"cluster: the cluster is closed": func(g *election.Group) {
			assert.Panics(t, func() { _ = g.Hold(0) })
		},
		"cluster: the cluster is closed: node 1 removed node 0 as crashed, but it is live": func(g *election.Group) {
			assert.ErrorIs(t, g.Hold(1), cluster.ErrClosed)
		},
	} {
		g := election.NewGroup(2, candidates(true))
		var waiting sync.WaitGroup
		waiting.Go(func() {
			_, err := g.Leader(t.Context(), 1)
			assert.ErrorIs(t, err, cluster.ErrClosed)
			assert.EqualError(t, err, why)
			for range g.Changes(t.Context(), 0) {
				assert.Fail(t, "a node leads")
			}
		})
		closes(g)
		waiting.Wait()
		_, err := g.Leader(canceled(), 0)
		assert.EqualError(t, err, why)
		g.Close()
	}
}

// canceled returns a context that is.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A user that waits can give up.
func TestContext(t *testing.T) {
	g := election.NewGroup(1, candidates(false))
	defer g.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() {
			_, err := g.Leader(ctx, 0)
			assert.ErrorIs(t, err, context.Canceled)
		})
		waiting.Go(func() {
			for e := range g.Changes(ctx, 0) {
				assert.Fail(t, "a node leads", "%+v", e)
			}
		})
	}
	cancel(nil)
	waiting.Wait()
	require.NoError(t, g.Hold(0))
	_, err := g.Leader(ctx, 0)
	assert.ErrorIs(t, err, context.Canceled, "also if the node knows who leads")
}

// The options are those of a cluster; an observer of the user sees all, too.
func TestGroupObserved(t *testing.T) {
	seen := 0
	g := election.NewGroup(1, candidates(false), cluster.Observe(func(e messaging.Event) {
		if e.Action == "emitted" {
			seen++
		}
	}), cluster.Observe(nil))
	require.NoError(t, g.Hold(0))
	g.Close()
	assert.Equal(t, 2, seen)
}

// A teller tells the other node who leads, and has not learned it itself.
type teller struct{ start messaging.Start }

func (n *teller) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case election.Hold:
		out.Send(1-n.start.Self, election.Elected{Leader: 1})
	case election.Elected:
		out.Emit(m)
	}
}

// Nodes may send who leads: only a node that emits it has learned it.
func TestOnlyEmitted(t *testing.T) {
	g := election.NewGroup(2, func(start messaging.Start) messaging.Node { return &teller{start} })
	defer g.Close()
	require.NoError(t, g.Hold(0))
	e, err := g.Leader(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, election.Elected{Leader: 1}, e)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = g.Leader(ctx, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestGroupMisuse(t *testing.T) {
	g := election.NewGroup(2, candidates(false))
	defer g.Close()
	var none context.Context
	for message, f := range map[string]func(){
		"cluster: input of node 2: the nodes are 0 to 1":                                         func() { _ = g.Hold(2) },
		"election: Leader of node -1: the nodes are 0 to 1":                                      func() { _, _ = g.Leader(t.Context(), -1) },
		"election: Changes of node 2: the nodes are 0 to 1":                                      func() { g.Changes(t.Context(), 2) },
		"election: Leader with a nil context: context.Background() is never canceled":            func() { _, _ = g.Leader(none, 0) },
		"election: Changes with a nil context: context.Background() is never canceled":           func() { g.Changes(none, 0) },
		"cluster: a cluster of 0 nodes: there must be at least 1":                                func() { election.NewGroup(0, candidates(false)) },
		"cluster: a cluster of -1 nodes: there must be at least 1":                               func() { election.NewGroup(-1, candidates(false)) },
		fmt.Sprintf("cluster: a cluster of %d nodes: there can be at most 1048576", math.MaxInt): func() { election.NewGroup(math.MaxInt, candidates(false)) },
		"cluster: option 1 of a cluster is nil":                                                  func() { election.NewGroup(1, candidates(false), nil) },
	} {
		assert.PanicsWithValue(t, message, f)
	}
}

// A node that is down holds no election, and the group goes on. One that has restarted may.
func TestGroupCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := election.NewGroup(3, bully.New(time.Second, 3*time.Second))
		defer g.Close()
		require.NoError(t, g.Hold(0))
		e, err := g.Leader(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, messaging.ID(2), e.Leader)
		synctest.Wait()

		g.Cluster.Crash(2)
		assert.Equal(t, cluster.ErrDown, g.Hold(2))
		require.NoError(t, g.Hold(0))
		for e := range g.Changes(t.Context(), 0) {
			if e.Leader == 1 {
				break
			}
		}
		g.Cluster.Restart(2)
		require.NoError(t, g.Hold(2))
		for e := range g.Changes(t.Context(), 0) {
			if e.Leader == 2 {
				break
			}
		}
	})
}
