package cluster

import (
	"context"
	"errors"
	"fmt"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// ErrDown is the error of a call if the node is down ([Cluster.Crash], [Cluster.Stop]), or crashes during
// it: its request is lost, also if the node has restarted by the time of the return, and may be made again then.
var ErrDown = errors.New("cluster: the node is down, or was during the call")

// Crash crashes node i, and returns when the node has stopped. That is between two of its
// handlers: Crash waits for nothing but the end of one that is running. Until the node restarts
// ([Cluster.Restart]), messages to it are lost, those in its mailbox too, and its timers do not
// expire; what it has sent arrives. Crash has no effect if the node is down or the cluster is
// closed. It panics unless 0 <= i < Processes().
//
// Callers that wait for an entry as node i, at its [Locker] too, get [ErrDown], and Lock
// panics; so do later callers until the node restarts. A caller that is inside is a goroutine,
// which no crash ends. For the other nodes its entry is over: one of them may enter at once, if
// the algorithm survives the crash. So a resource that both use must be given the [messaging.Token] of the
// entry, and refuse what comes with an older one. The Unlock of that caller is still due, but
// only lets others use the node: until then node i is in use, also if it has restarted. So no
// Unlock can release the entry of another caller.
//
// Each live [messaging.Survivor] is told of the crash after all messages that the crashed node had sent to
// it have arrived, unless that node has restarted by then. Other nodes are not told, and may wait
// forever. An observer sees the events crashed, told, lost and restarted.
func (c *Cluster) Crash(i int) {
	m := c.member("crash", i)
	f := &fault{what: crash, life: m.life.Load(), done: make(chan outcome, 1)}
	m.crashing.Store(true)
	c.inflict(c.newRunner(), m, f)
}

// Restart restarts node i, which is down, and returns when the node has handled its start. The
// node is new but for the fields that it has declared as durable, see [messaging.Start]. If it is
// a [messaging.Survivor], it is told which nodes are down. Most algorithms do not survive a node that has
// forgotten its past: with package recovery, the others take it in again. Restart panics if the
// node is up, and unless 0 <= i < Processes(). It has no effect if the cluster is closed.
func (c *Cluster) Restart(i int) {
	m := c.member("restart", i)
	f := &fault{what: restart, done: make(chan outcome, 1)}
	if c.inflict(c.newRunner(), m, f) == wasUp {
		panic(fmt.Sprintf("cluster: restart of node %d, which is up", i))
	}
}

// Stop stops node i in good order: it waits in the queue of its [Locker], where later callers
// queue behind it, until no caller waits or is inside as node i, and then does what
// [Cluster.Crash] does. So no entry is cut short; but the node may hold what others need, such as
// a token. If ctx is done before that, Stop returns ctx.Err(), and the node goes on. It returns an
// error that is or wraps [ErrClosed] if the cluster is closed before or during the call, and nil
// if the node is down. It panics unless 0 <= i < Processes(), and if ctx is nil.
func (c *Cluster) Stop(ctx context.Context, i int) error {
	m := c.member("stop", i)
	mustContext(ctx, "stop", i)
	switch err := m.locker.awaitTurn(ctx); {
	case errors.Is(err, ErrDown):
		return nil
	case err != nil:
		return err
	}
	defer m.locker.passTurn()
	f := &fault{what: stop, done: make(chan outcome, 1)}
	c.post(c.newRunner(), m, f)
	select {
	case <-f.done:
		return nil
	case <-c.done:
		return c.closed()
	case <-ctx.Done():
	}
	if c.inflict(c.newRunner(), m, &fault{what: stay, stopping: f, done: make(chan outcome, 1)}) == stays {
		return ctx.Err()
	}
	if c.over.Load() {
		return c.closed()
	}
	return nil
}

// Token returns the token of the entry by which node i is inside. The caller of Lock may read it
// until Unlock, also if the node has crashed meanwhile, and even if it has restarted. Token panics
// if no caller is inside as node i, and unless 0 <= i < Processes().
func (c *Cluster) Token(i int) messaging.Token {
	m := c.member("token", i)
	if by := m.user.Load(); by != byNumber && by != byLocker {
		panic(fmt.Sprintf("cluster: token of node %d, which is not inside", i))
	}
	return messaging.Token{Epoch: m.epoch.Load(), Count: m.count.Load()}
}

// A fault is a command of one who is not the user of the node.
type fault struct {
	what     command
	life     uint64       // of a crash: that of the node when it was called for
	stopping *fault       // of stay: the stop
	done     chan outcome // what came of it
}

// inflict passes f to node m and waits for what comes of it.
func (c *Cluster) inflict(r *runner, m *member, f *fault) outcome {
	c.post(r, m, f)
	select {
	case o := <-f.done:
		return o
	case <-c.done:
		return clusterClosed
	}
}

// post passes a fault or an input to node m, and runs the resulting work.
func (c *Cluster) post(r *runner, m *member, what any) {
	if c.over.Load() {
		return
	}
	r.post(m, delivery{user, what, 0})
	if !r.run(deliveriesPerCall(len(c.members))) {
		c.spawn(r.runAll)
	}
}

// A crashState is what the owner of a node knows of its crashes, and of those of others.
type crashState struct {
	orphaned bool                    // its user is inside by an entry that a crash has ended
	stopping *fault                  // a stop that waits for the user to leave
	notified map[messaging.ID]uint64 // by node of whose crash it was told: the life of that node then
	missed   messaging.Set           // nodes of whose crash it was not told, since they had restarted
}

// release reports whether what the user leaves is an entry that a crash has ended.
func (s *crashState) release() bool {
	orphaned := s.orphaned
	s.orphaned = false
	return orphaned
}

// isDown reports whether the node is down.
func (m *member) isDown() bool { return m.life.Load()&1 == 1 }

// crash has node m crash. The notices follow on each link what the node has sent there.
func (r *runner) crash(m *member) {
	life := m.life.Add(1)
	m.crashing.Store(true)
	m.since = r.see(0, action.Crashed, m.id, m.id, nil)
	switch m.site.Phase() {
	case messaging.Waiting:
		m.reply(nodeDown)
	case messaging.Inside:
		m.crash.orphaned = true
	}
	m.site.Crash()
	r.before = messaging.Idle
	m.crash.notified, m.crash.missed = nil, nil
	m.locker.crash()
	r.cluster.stopTimers(m)
	n := notice{life: life, cause: m.since}
	for k := range r.cluster.members {
		if to := &r.cluster.members[k]; to != m {
			r.post(to, delivery{m.id, n, 0})
		}
	}
	if f := m.crash.stopping; f != nil {
		m.crash.stopping = nil
		offer(f.done, nodeDown)
	}
}

// strike carries out a fault of node m, which is up.
func (r *runner) strike(m *member, f *fault) {
	switch f.what {
	case crash:
		if m.life.Load() == f.life { // else it has crashed since
			r.crash(m)
		}
		offer(f.done, nodeDown)
	case restart:
		offer(f.done, wasUp)
	case stop:
		m.crash.stopping = f // see deliver
	case stay:
		if m.crash.stopping == f.stopping {
			m.crash.stopping = nil
			offer(f.done, stays)
			return
		}
		offer(f.done, nodeDown)
	}
}

// stopIfIdle has node m crash if it is to stop, once its user is outside.
func (r *runner) stopIfIdle(m *member) {
	if p := m.site.Phase(); !m.crash.orphaned && (p == messaging.Idle || p == messaging.Absorbing) {
		r.crash(m)
	}
}

// lose handles d for node m, which is down, or crashes before it.
func (r *runner) lose(m *member, d delivery) {
	if !m.isDown() {
		r.crash(m)
	}
	switch what := d.message.(type) {
	case notice:
		if what.asks() {
			r.post(&r.cluster.members[d.from], delivery{m.id, notice{life: m.life.Load(), cause: m.since}, 0})
		}
		return
	case *fault:
		if what.what == restart {
			r.restart(m)
		}
		offer(what.done, nodeDown)
		return
	}
	switch d.from {
	case m.id: // a timer that had expired
	case user:
		switch d.message {
		case request:
			m.serve()
			m.reply(nodeDown)
		case release, abandon:
			m.crash.release()
		}
	default:
		r.see(d.cause, action.Lost, d.from, m.id, d.message)
	}
}

// restart starts node m again.
func (r *runner) restart(m *member) {
	c := r.cluster
	m.life.Add(1)
	m.crashing.Store(false)
	r.cause = r.see(m.since, action.Restarted, m.id, m.id, nil)
	func() {
		c.making.Lock()
		defer c.making.Unlock()
		m.site.Restart()
	}()
	// It asks first: a node that is up when it is asked gets all that this one sends.
	for k := range c.members {
		if to := &c.members[k]; to != m {
			r.post(to, delivery{m.id, notice{}, 0})
		}
	}
	m.site.Start()
	m.locker.restart()
}

// A notice travels on a link like a message, but no node sees it. It says that its sender has
// crashed; or its sender, which has restarted, asks for the notices of nodes that are down.
type notice struct {
	life  uint64 // that ended with the crash; 0: it asks
	cause uint64 // the number of the crash, if there is an observer
}

func (n notice) asks() bool { return n.life == 0 }

// notify tells node m, which is up, of the crash of another, unless it was told or that node has
// restarted.
func (r *runner) notify(m *member, from messaging.ID, n notice) {
	crashed := &r.cluster.members[from]
	switch {
	case n.asks() || m.crash.notified[from] == n.life:
		return
	case crashed.life.Load() != n.life:
		m.crash.missed.Add(from)
		return
	}
	if _, ok := messaging.As[messaging.Survivor](m.site.Node()); !ok {
		return
	}
	if m.crash.notified == nil {
		m.crash.notified = map[messaging.ID]uint64{}
	}
	m.crash.notified[from] = n.life
	r.cause = r.see(n.cause, action.Told, from, m.id, nil)
	r.crashed = crashed
	m.site.Down(from)
	r.crashed = nil
}
