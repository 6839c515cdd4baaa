package measure

import "sync/atomic"

// The ticket lock: D. P. Reed, R. K. Kanodia, "Synchronization with
// eventcounts and sequencers", Communications of the ACM 22(2):115-123, 1979.
type ticket struct {
	next atomic.Uint64
	_    line
	now  atomic.Uint64 // written by the process inside
}

// line keeps what stands before it off the cache line of what stands behind.
type line [64]byte

func (t *ticket) Lock() {
	mine := t.next.Add(1) - 1
	spin(func() bool { return t.now.Load() == mine })
}

func (t *ticket) Unlock() { t.now.Store(t.now.Load() + 1) }

// The queue lock of J. M. Mellor-Crummey and M. L. Scott, "Algorithms for
// scalable synchronization on shared-memory multiprocessors", ACM Transactions
// on Computer Systems 9(1):21-65, 1991. A waiter spins on a node of its own.
type mcs struct {
	processes
	tail  atomic.Pointer[mcsNode]
	_     line
	nodes []mcsNode // of process i
}

type mcsNode struct {
	next   atomic.Pointer[mcsNode]
	locked atomic.Bool
	_      line
}

func (m *mcs) Lock(i int) {
	me := &m.nodes[i]
	me.next.Store(nil)
	predecessor := m.tail.Swap(me)
	if predecessor == nil {
		return
	}
	me.locked.Store(true) // before the predecessor can see me
	predecessor.next.Store(me)
	spin(func() bool { return !me.locked.Load() })
}

func (m *mcs) Unlock(i int) {
	me := &m.nodes[i]
	if me.next.Load() == nil {
		if m.tail.CompareAndSwap(me, nil) {
			return
		}
		spin(func() bool { return me.next.Load() != nil }) // a successor is between its swap and its link
	}
	me.next.Load().locked.Store(false)
}

// The queue lock of T. S. Craig, "Building FIFO and priority-queueing spin
// locks from atomic swap", TR 93-02-02, University of Washington, 1993, and of
// P. Magnusson, A. Landin, E. Hagersten, "Queue locks on cache coherent
// multiprocessors", IPPS 1994. A waiter spins on the node of its predecessor,
// and takes it over for its next entry.
type clh struct {
	processes
	tail atomic.Pointer[clhNode]
	_    line
	of   []clhProcess
}

type clhNode struct {
	locked atomic.Bool
	_      line
}

type clhProcess struct {
	mine, predecessor *clhNode
	_                 line
}

func newCLH(n int) *clh {
	l := &clh{processes: processes(n), of: make([]clhProcess, n)}
	l.tail.Store(new(clhNode))
	for i := range l.of {
		l.of[i].mine = new(clhNode)
	}
	return l
}

func (l *clh) Lock(i int) {
	p := &l.of[i]
	p.mine.locked.Store(true)
	p.predecessor = l.tail.Swap(p.mine)
	spin(func() bool { return !p.predecessor.locked.Load() })
}

func (l *clh) Unlock(i int) {
	p := &l.of[i]
	p.mine.locked.Store(false) // from here on the node is the successor's
	p.mine = p.predecessor
}
