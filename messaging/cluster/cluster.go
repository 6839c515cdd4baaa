// Package cluster runs the nodes of a message-passing algorithm in one program, on goroutines.
//
//	c := cluster.New(5, ricartagrawala.New)
//	defer c.Close()
//	l := c.Node(3) // a sync.Locker, with LockContext and TryLock
package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// ErrClosed is the error of a call if the cluster is closed before or during
// it. If the cluster closed itself because a node [messaging.Removed] a live one, the
// error wraps ErrClosed and names both. It counts before the error of a context, and that before [ErrDown]: so
// one that retries while the node is down comes to an end. Misuse, which panics, counts before all three, but
// in a closed cluster it is not known whether a node is in use or up.
var ErrClosed = errors.New("cluster: the cluster is closed")

// A Cluster runs the nodes of an algorithm in this process. It is a mutex.Mutex and
// a mutex.Abortable, in which node i is process i; [Cluster.Node] is a sync.Locker
// for any number of callers at one node. It is safe for concurrent use.
//
// Nodes run concurrently, with one handler of a node at a time. A node is not a
// goroutine: a goroutine that sends a message to an idle node runs it, and one that
// sends to a running node leaves the message in its mailbox. So an entry wakes only
// the goroutine that enters. Links are reliable and FIFO. Mailboxes are unbounded, so
// sends never block; a mailbox keeps its capacity. A link allocates nothing, so nodes
// that never communicate cost nothing. A cluster that is used in a synctest bubble
// must be created there.
//
// Nodes crash only by [Cluster.Crash] and [Cluster.Stop]; a handler that panics closes the
// cluster. Each live [messaging.Survivor] is told of a crash, as by a perfect detector. No live node is
// suspected: a timer is delivered only after the messages that its node had sent
// when it expired, and the immediate answers to them, have been handled, however long
// that takes on a busy machine. So an algorithm that treats silence as a crash removes
// only nodes that are down, or have restarted since. If a node emits [messaging.Removed] of another one
// all the same, the others would continue without a node that may be inside. Then the cluster
// closes itself before any node enters by that removal: Lock and TryLock panic, and LockContext
// returns an error, naming both nodes.
//
// The users of a node that has crashed get [ErrDown], the other nodes are told by Down, and the
// program sees crashes and removals by [Observe].
//
// All nodes have one clock of entries, so no two entries have the same [messaging.Token].
//
// In the terminology of the Go memory model, a call of Unlock is synchronized
// before the return of every later call of Lock, for whichever nodes, unless its node has crashed
// since it entered: then what its user does may be concurrent with later entries.
type Cluster struct {
	members   []member
	observer  func(messaging.Event)
	scrambled bool
	unordered bool
	seed      uint64
	events    atomic.Uint64 // how many there were, if there is an observer
	begun     time.Time

	over    atomic.Bool
	cause   string        // why, unless by Close; set before over
	done    chan struct{} // closed with the cluster
	runners atomic.Uint64 // the number of runners created
	mu      sync.Mutex    // guards the following fields, timers of members and the setting of over
	own     sync.WaitGroup
	pending map[*time.Timer]*member // the running timers, by node; own counts them
	making  sync.Mutex              // held while a node is made anew
	waiters sync.Pool               // of the queues of Lockers

	_       [64]byte      // nodes that do not enter read what is before it
	entries atomic.Uint64 // the clock of entries of all sites
}

// An Option configures a [Cluster]; see [New].
type Option func(*Cluster)

// Observe calls f with every event, before its consequences. Several goroutines call f
// concurrently; it must not block for long and must not use the cluster. Given several times, it
// calls each f, in this order.
func Observe(f func(messaging.Event)) Option {
	return func(c *Cluster) {
		before := c.observer
		switch {
		case f == nil:
		case before == nil:
			c.observer = f
		default:
			c.observer = func(e messaging.Event) {
				before(e)
				f(e)
			}
		}
	}
}

// Scramble delays messages at random, so that messages of different links overtake
// each other: for tests, since few do so otherwise. It also seeds [messaging.Out.Choose], whose seed is 0 otherwise.
func Scramble(seed uint64) Option {
	return func(c *Cluster) { c.scrambled, c.seed = true, seed }
}

// Unordered is like [Scramble], but messages of the same link overtake each other
// too: for algorithms that do not need FIFO links.
func Unordered(seed uint64) Option {
	return func(c *Cluster) { c.scrambled, c.unordered, c.seed = true, true, seed }
}

// maxNodes exceeds what fits into the memory of a process with most algorithms.
const maxNodes = 1 << 20

// New returns a cluster of n nodes of a; node 0 is the holder. It panics
// unless 1 <= n <= 1<<20, and if a or an option is nil. Nodes that are a [messaging.Starter] start
// before it returns, in the calling goroutine.
//
// Nodes that are no [messaging.Exclusion] run like others, and their results are seen by an observer;
// methods that lock panic.
//
// A cluster must be closed if its algorithm sets timers or sends messages while no
// request is pending: a running timer references its cluster, and if the node sets the
// next one whenever one expires, the garbage collector never frees either. A cluster
// with no message in transit can be left to the collector.
func New(n int, a messaging.Algorithm, options ...Option) *Cluster {
	if n < 1 {
		panic(fmt.Sprintf("cluster: a cluster of %d nodes: there must be at least 1", n))
	}
	if n > maxNodes {
		panic(fmt.Sprintf("cluster: a cluster of %d nodes: there can be at most %d", n, maxNodes))
	}
	c := &Cluster{members: make([]member, n), done: make(chan struct{}), pending: map[*time.Timer]*member{}, begun: time.Now()}
	c.waiters.New = newWaiter
	for k, o := range options {
		if o == nil {
			panic(fmt.Sprintf("cluster: option %d of a cluster is nil", k+1))
		}
		o(c)
	}
	for i := range c.members {
		m := &c.members[i]
		m.id = messaging.ID(i)
		m.site.Init(a, messaging.Start{Self: m.id, Nodes: n}, c.chooser(i))
		m.runner = c.newRunner()
		m.answer = make(chan answer, 1)
		m.locker = locker{cluster: c, node: i}
		m.locker.queue.previous, m.locker.queue.next = &m.locker.queue, &m.locker.queue
		if _, lock := messaging.As[messaging.Exclusion](m.site.Node()); !lock {
			m.class = reflect.TypeOf(m.site.Node())
		}
	}
	c.start()
	return c
}

// start starts the nodes, before any message is delivered or timer expires: the runner
// owns all of them meanwhile.
func (c *Cluster) start() {
	var starters []*member
	for i := range c.members {
		if _, starts := messaging.As[messaging.Starter](c.members[i].site.Node()); starts {
			starters = append(starters, &c.members[i])
		}
	}
	if len(starters) == 0 {
		return
	}
	r := c.members[0].runner
	for i := range c.members {
		r.adopt(&c.members[i])
	}
	for _, m := range starters {
		r.deliver(m, delivery{from: user, message: start})
	}
	c.run(&c.members[0])
}

// chooser returns the random source of node i, created on first use.
func (c *Cluster) chooser(i int) func(int) int {
	var r *rand.Rand
	return func(n int) int {
		if r == nil {
			r = rand.New(rand.NewPCG(c.seed, uint64(i)))
		}
		return r.IntN(n)
	}
}

// Processes returns the number of nodes.
func (c *Cluster) Processes() int { return len(c.members) }

// Lock enters the critical section as node i, and blocks until it is inside. It
// supports one caller per node at a time: it panics if node i waits or is inside. As it
// cannot return an error, it also panics if the node is down or the cluster is closed, before
// or during the call.
func (c *Cluster) Lock(i int) {
	m, err := c.begin(context.Background(), i, byNumber)
	if err == nil {
		c.submit(m, request)
		err = m.take(m.receive())
	}
	if err != nil {
		panic(c.lockFailed(i, err))
	}
}

// LockContext is like Lock, but aborts when ctx is done, and then returns ctx.Err(); nil
// means that node i is inside. It returns [ErrDown] if the node is down, and an error that is or
// wraps ErrClosed if the cluster is closed, before or during the call. A request that the
// algorithm cannot withdraw is absorbed: node i leaves as soon as it enters, and an earlier call
// takes the request over. LockContext panics if node i waits or is inside, or if ctx is nil.
func (c *Cluster) LockContext(ctx context.Context, i int) error {
	mustContext(ctx, "lock", i)
	return c.lockContext(ctx, i, byNumber)
}

func (c *Cluster) lockContext(ctx context.Context, i int, by uint64) error {
	m, err := c.begin(ctx, i, by)
	if err != nil {
		return err
	}
	c.submit(m, request)
	a, ok := m.receiveOr(ctx.Done())
	if !ok {
		c.submit(m, withdraw)
		a = m.receive() // entered, if the entry and the end of ctx came together
	}
	if a.what == withdrawn {
		m.user.Store(outside)
		return ctx.Err()
	}
	return m.take(a)
}

func mustContext(ctx context.Context, what string, i int) {
	if ctx == nil {
		panic(fmt.Sprintf("cluster: %s of node %d with a nil context: context.Background() is never canceled", what, i))
	}
}

// TryLock enters the critical section as node i if that needs no waiting except for
// messages that this call delivers itself, and reports whether it did. For that it may
// deliver messages of other nodes too, at most 512+8n for n nodes. It may fail although
// no node is inside: if that many are not enough, or if another goroutine is running node
// i, for which it does not wait. A request that fails is withdrawn, or released if it was
// granted meanwhile; an observer may see that entry. It returns false if the node is down or Close
// was called, and panics if node i waits or is inside, or if the cluster has closed itself.
func (c *Cluster) TryLock(i int) bool { return c.tryLock(i, byNumber) }

func (c *Cluster) tryLock(i int, by uint64) bool {
	m, err := c.begin(context.Background(), i, by)
	if err != nil {
		if c.cause != "" {
			panic(c.lockFailed(i, err)) // false would hide the cause
		}
		return false
	}
	c.submit(m, request)
	if a, ok := poll(m.answer); ok && m.latest(a) {
		return m.take(a) == nil
	}
	c.submit(m, abandon)
	m.user.Store(outside)
	return false
}

// Unlock leaves the critical section as node i. It panics if node i is not inside. If
// the node was locked through its [Locker], the next caller in that queue proceeds. It has no other
// effect in a closed cluster, and if the node has crashed since it entered.
func (c *Cluster) Unlock(i int) {
	m := c.member("unlock", i)
	turn := false
	if !m.user.CompareAndSwap(byNumber, leaving) {
		if turn = m.user.CompareAndSwap(byLocker, leaving); !turn {
			panic(fmt.Sprintf("cluster: unlock of node %d, which is not inside", i))
		}
	}
	c.submit(m, release)
	m.user.Store(outside)
	if turn {
		m.locker.passTurn()
	}
}

// Input gives node i an input of its user: the node receives m from itself, as it does a
// timer. It is for nodes whose user does more than Request and Release, such as to start an
// election. Inputs of a node arrive in the order of the calls. Input may run handlers of
// nodes, but waits for nothing that follows from m. It returns an error that is or wraps
// [ErrClosed] if the cluster is closed before or during the call, and [ErrDown] if the node is down or
// crashes during it; the node may not have received m then. It panics unless 0 <= i < Processes().
func (c *Cluster) Input(i int, m messaging.Message) error {
	to := c.member("input", i)
	if c.over.Load() {
		return c.closed()
	}
	life := to.life.Load()
	if to.isDown() {
		return ErrDown
	}
	c.post(c.newRunner(), to, input{host.Copied(m)})
	switch {
	case c.over.Load():
		return c.closed()
	case to.life.Load() != life:
		return ErrDown
	}
	return nil
}

// Close stops the cluster and its timers. Current and later callers get ErrClosed, or
// panic in Lock. Close returns when no goroutine of the cluster is left. It does not
// wait for a node that is inside, nor for callers that are leaving: a handler or an
// observer may still be running in their goroutines. Further calls wait likewise.
func (c *Cluster) Close() {
	c.mustExist("close")
	c.stop("")
	c.own.Wait()
}

// Done returns a channel that is closed when the cluster is: by [Cluster.Close], by a handler that panics, or by
// the cluster itself.
func (c *Cluster) Done() <-chan struct{} {
	c.mustExist("done")
	return c.done
}

// Err returns nil until the cluster is closed, and then an error that is or wraps [ErrClosed].
func (c *Cluster) Err() error {
	c.mustExist("err")
	if c.over.Load() {
		return c.closed()
	}
	return nil
}

// stop stops the cluster; cause is "" if the user closes it.
func (c *Cluster) stop(cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cause != "" && !c.over.Load() {
		c.cause = cause
	}
	if !c.over.CompareAndSwap(false, true) {
		return
	}
	close(c.done)
	for t := range c.pending {
		if t.Stop() {
			c.own.Done()
		}
	}
	for k := range c.members {
		c.members[k].close()
	}
}

func (c *Cluster) member(what string, i int) *member {
	c.mustExist(what)
	if i < 0 || i >= len(c.members) {
		panic(fmt.Sprintf("cluster: %s of node %d: the nodes are 0 to %d", what, i, len(c.members)-1))
	}
	return &c.members[i]
}

func (c *Cluster) mustExist(what string) {
	if c.members == nil {
		panic(fmt.Sprintf("cluster: %s of a zero Cluster: only New returns a Cluster", what))
	}
}

// closed returns the error of a call on a closed cluster.
func (c *Cluster) closed() error {
	if c.cause == "" {
		return ErrClosed
	}
	return fmt.Errorf("%w: %s", ErrClosed, c.cause)
}

// lockFailed returns the panic message of Lock and TryLock of node i, which is down, or of a
// cluster that is closed.
func (c *Cluster) lockFailed(i int, err error) string {
	if errors.Is(err, ErrDown) {
		return fmt.Sprintf("cluster: lock of node %d, which is down", i)
	}
	s := fmt.Sprintf("cluster: lock of node %d of a cluster that is closed", i)
	if c.cause != "" {
		s += ": " + c.cause
	}
	return s
}

// begin reserves node i for a caller that wants to enter, or returns an error if the
// cluster is closed or ctx is done.
func (c *Cluster) begin(ctx context.Context, i int, by uint64) (*member, error) {
	m := c.member("lock", i)
	if m.class != nil {
		panic(fmt.Sprintf("cluster: lock of node %d, a %v: it is no Exclusion", i, m.class))
	}
	if c.over.Load() { // first, since a panic may have left the node entering
		return nil, c.closed()
	}
	if !m.user.CompareAndSwap(outside, entering) {
		panic(fmt.Sprintf("cluster: lock of node %d, which waits, is inside or is leaving", i))
	}
	if err := ctx.Err(); err != nil {
		m.user.Store(outside)
		return nil, err
	}
	m.by = by
	m.asked++
	return m, nil
}

// submit passes a command to node m, and runs the resulting work. If that takes long,
// because others keep adding to it, a goroutine takes over.
func (c *Cluster) submit(m *member, what command) {
	if c.over.Load() {
		return
	}
	m.runner.post(m, delivery{user, what, 0})
	c.run(m)
}

// run runs the work that the runner of m has.
func (c *Cluster) run(m *member) {
	if r := m.runner; !r.run(deliveriesPerCall(len(c.members))) {
		m.runner = c.newRunner()
		c.spawn(r.runAll)
	}
}

// spawn runs f in a goroutine that Close waits for, unless the cluster is closed.
func (c *Cluster) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over.Load() {
		c.own.Go(f)
	}
}
