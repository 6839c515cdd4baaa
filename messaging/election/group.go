package election

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
)

// A Group runs an election among the nodes of a [cluster.Cluster], and tells their users who
// leads. It is safe for concurrent use.
//
// What a node has learned last counts: a user that asks late, or is slow, gets the latest leader and
// misses the ones before. Nodes learn at different times, so two users may know different
// leaders for a while. A user that acts for its leader says in which term; then others that know a
// later one can refuse.
type Group struct {
	// Cluster has the nodes. If one crashes ([cluster.Cluster.Crash]), its user goes on, and the leader that it knows
	// is the last that the node has learned of. Others learn of another leader when one of them holds an election, which
	// those do by themselves that suspect a leader, as with heartbeats.
	Cluster *cluster.Cluster

	known []knowledge // by node
}

// knowledge is what a node has emitted.
type knowledge struct {
	mu      sync.Mutex
	latest  Elected
	times   int           // how often it has emitted; 0: latest is none
	emitted chan struct{} // closed when it emits the next time
}

// NewGroup returns a group of n nodes of a, whose options are those of [cluster.New]. It
// panics as that does. The group must be closed.
//
// No node leads until an election is held, by [Group.Hold] or by the nodes themselves.
func NewGroup(n int, a messaging.Algorithm, options ...cluster.Option) *Group {
	var g Group
	know := func(c *cluster.Cluster) {
		g.known = make([]knowledge, c.Processes())
		for i := range g.known {
			g.known[i].emitted = make(chan struct{})
		}
	}
	g.Cluster = cluster.New(n, a, append(slices.Clone(options), know, cluster.Observe(g.observe))...)
	return &g
}

func (g *Group) observe(e messaging.Event) {
	if elected, ok := e.Message.(Elected); ok && e.Action == "emitted" {
		g.known[e.From].learn(elected)
	}
}

func (k *knowledge) learn(e Elected) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.latest = e
	k.times++
	close(k.emitted)
	k.emitted = make(chan struct{})
}

// after returns what node i has emitted last and how often it has, once that is more often
// than before; or an error if ctx is done or the group is closed.
func (g *Group) after(ctx context.Context, i, before int) (e Elected, times int, err error) {
	for {
		e, times, emitted := g.known[i].get()
		switch {
		case g.Cluster.Err() != nil:
			return Elected{}, 0, g.Cluster.Err()
		case ctx.Err() != nil:
			return Elected{}, 0, ctx.Err()
		case times > before:
			return e, times, nil
		}
		select {
		case <-emitted:
		case <-ctx.Done():
		case <-g.Cluster.Done():
		}
	}
}

func (k *knowledge) get() (latest Elected, times int, emitted <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.latest, k.times, k.emitted
}

// Hold has node i hold an election: the first one, or because its user suspects that the leader
// has crashed. It does not wait for the end of it. It returns the errors of [cluster.Cluster.Input], and the node
// may not hold one then. It panics unless i is the number of a node.
func (g *Group) Hold(i int) error { return g.Cluster.Input(i, Hold{}) }

// Leader returns who leads, as node i knows: it blocks until the node has learned of a first
// leader, and then returns the latest. It returns an error that is or wraps
// [cluster.ErrClosed] if the cluster is closed, and ctx.Err() if ctx is done, before or during the call. It panics unless i is
// the number of a node, and if ctx is nil.
func (g *Group) Leader(ctx context.Context, i int) (Elected, error) {
	g.check("Leader", i)
	mustContext(ctx, "Leader")
	e, _, err := g.after(ctx, i, 0)
	return e, err
}

// Changes yields who leads, as node i knows: the leader that it knows, if any, and then the latest
// each time that it has learned of one, also of the same one in a later term. It ends when ctx
// is done or the cluster is closed. It panics unless i is the number of a node, and if ctx is nil.
func (g *Group) Changes(ctx context.Context, i int) iter.Seq[Elected] {
	g.check("Changes", i)
	mustContext(ctx, "Changes")
	return func(yield func(Elected) bool) {
		for before := 0; ; {
			e, times, err := g.after(ctx, i, before)
			if err != nil || !yield(e) {
				return
			}
			before = times
		}
	}
}

// Close stops the nodes, and ends what waits: Leader and Hold return [cluster.ErrClosed],
// and Changes ends. It returns when no goroutine of the cluster is left; see [cluster.Cluster.Close].
func (g *Group) Close() { g.Cluster.Close() }

func (g *Group) check(method string, i int) {
	if i < 0 || i >= len(g.known) {
		panic(fmt.Sprintf("election: %s of node %d: the nodes are 0 to %d", method, i, len(g.known)-1))
	}
}

func mustContext(ctx context.Context, method string) {
	if ctx == nil {
		panic(fmt.Sprintf("election: %s with a nil context: context.Background() is never canceled", method))
	}
}
