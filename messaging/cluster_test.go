package messaging_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/ricartagrawala"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

var (
	_ mutex.Abortable = (*messaging.Cluster)(nil)
	_ sync.Locker     = (*messaging.Locker)(nil)
)

// deliveries are the ways in which a cluster delivers messages.
var deliveries = map[string]func(seed uint64) []messaging.Option{
	"at once":   func(uint64) []messaging.Option { return nil },
	"scrambled": func(seed uint64) []messaging.Option { return []messaging.Option{messaging.Scramble(seed)} },
	"unordered": func(seed uint64) []messaging.Option { return []messaging.Option{messaging.Unordered(seed)} },
}

// absorbing is an algorithm whose requests cannot be withdrawn.
func absorbing(start messaging.Start) messaging.Exclusion {
	return struct{ messaging.Exclusion }{ricartagrawala.New(start)}
}

func TestStress(t *testing.T) {
	for name, options := range deliveries {
		for _, a := range []messaging.Algorithm{ricartagrawala.New, absorbing} {
			for nodes := 1; nodes <= 6; nodes++ {
				c := messaging.NewCluster(nodes, a, options(uint64(nodes))...)
				r, err := stress.Run(c, stress.Config{Entries: 200, GiveUp: 0.3})
				if err == nil {
					err = r.Err()
				}
				if err != nil {
					t.Fatalf("%s, %d nodes: %v", name, nodes, err)
				}
				c.Close()
			}
		}
	}
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic: %v, want %q", r, want)
		}
	}()
	f()
}

func TestMisuse(t *testing.T) {
	panics(t, "a cluster of 0 nodes: it needs at least 1", func() { messaging.NewCluster(0, ricartagrawala.New) })
	c := messaging.NewCluster(2, ricartagrawala.New)
	defer c.Close()
	panics(t, "lock of node 2: the nodes are 0 to 1", func() { c.Lock(2) })
	panics(t, "lock of node -1: the nodes are 0 to 1", func() { c.TryLock(-1) })
	panics(t, "unlock of node 0, which is not inside", func() { c.Unlock(0) })
	panics(t, "locker of node 2: the nodes are 0 to 1", func() { c.Node(2) })
	c.Lock(0)
	panics(t, "lock of node 0, which waits, is inside or is leaving", func() { c.Lock(0) })
	panics(t, "lock of node 0, which waits, is inside or is leaving", func() { c.TryLock(0) })
	panics(t, "lock of node 0, which waits, is inside or is leaving", func() { _ = c.LockContext(t.Context(), 0) })
	panics(t, "unlock of node 1, which is not inside", func() { c.Unlock(1) })
	panics(t, "unlock of node 1, which is not inside", func() { c.Node(1).Unlock() })
	c.Unlock(0)
	c.Lock(1) // nothing of the above has left a trace
	c.Unlock(1)
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := messaging.NewCluster(4, ricartagrawala.New)
		c.Lock(0)
		errs := make(chan error, 4)
		go func() { errs <- c.LockContext(context.Background(), 1) }()
		for range 3 { // one waits at the node, and two in front of it
			go func() { errs <- c.Node(2).LockContext(context.Background()) }()
		}
		said := make(chan any)
		go func() {
			defer func() { said <- recover() }()
			c.Lock(3)
		}()
		synctest.Wait()
		c.Close()
		for range cap(errs) {
			if err := <-errs; !errors.Is(err, messaging.ErrClosed) {
				t.Errorf("who waits gets %v, want ErrClosed", err)
			}
		}
		if want := "messaging: lock of node 3 of a cluster that is closed"; <-said != want {
			t.Errorf("Lock does not panic with %q", want)
		}

		c.Unlock(0)
		panics(t, "unlock of node 0, which is not inside", func() { c.Unlock(0) })
		panics(t, "lock of node 0 of a cluster that is closed", func() { c.Lock(0) })
		panics(t, "lock of node 0 of a cluster that is closed", func() { c.Node(0).Lock() })
		if c.TryLock(0) || c.Node(1).TryLock() {
			t.Error("TryLock enters a closed cluster")
		}
		for range 2 {
			if err := c.LockContext(t.Context(), 0); !errors.Is(err, messaging.ErrClosed) {
				t.Errorf("LockContext returns %v, want ErrClosed", err)
			}
			if err := c.Node(2).LockContext(t.Context()); !errors.Is(err, messaging.ErrClosed) {
				t.Errorf("LockContext returns %v, want ErrClosed", err)
			}
		}
		c.Close()
	})
}

// Clusters are closed while all of their nodes are busy.
func TestCloseBusy(t *testing.T) {
	for seed := range uint64(200) {
		c := messaging.NewCluster(5, ricartagrawala.New, messaging.Scramble(seed))
		var wg sync.WaitGroup
		guarded, entries := 0, make(chan bool, 10)
		for i := range 10 {
			wg.Go(func() {
				for n := 0; ; n++ {
					if err := c.Node(i % 5).LockContext(context.Background()); err != nil {
						return
					}
					guarded++
					c.Node(i % 5).Unlock()
					if n == 3 {
						entries <- true
					}
				}
			})
		}
		<-entries
		c.Close()
		wg.Wait()
	}
}

func TestCallersQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := messaging.NewCluster(2, ricartagrawala.New)
		defer c.Close()
		l := c.Node(1)
		l.Lock()
		var order []int
		var wg sync.WaitGroup
		for k := range 6 {
			ctx, cancel := context.WithCancel(t.Context())
			wg.Go(func() {
				defer cancel()
				switch err := l.LockContext(ctx); {
				case k == 2:
					if !errors.Is(err, context.Canceled) {
						t.Errorf("caller 2 gets %v, and it has given up", err)
					}
				case err != nil:
					t.Error(err)
				default:
					order = append(order, k)
					l.Unlock()
				}
			})
			synctest.Wait()
			if k == 2 {
				cancel()
				synctest.Wait()
			}
		}
		l.Unlock()
		wg.Wait()
		if want := []int{0, 1, 3, 4, 5}; !slices.Equal(order, want) {
			t.Errorf("callers entered in the order %v, want %v", order, want)
		}
	})
}

func TestGiveUp(t *testing.T) {
	for name, a := range map[string]messaging.Algorithm{"withdrawn": ricartagrawala.New, "absorbed": absorbing} {
		synctest.Test(t, func(t *testing.T) {
			c := messaging.NewCluster(3, a)
			defer c.Close()
			c.Lock(0)
			if c.TryLock(1) {
				t.Errorf("%s: 1 is inside together with 0", name)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := c.LockContext(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: LockContext returns %v", name, err)
			}
			if err := c.LockContext(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: LockContext with a context that is done returns %v", name, err)
			}
			left := make(chan bool)
			go func() { // the request that was absorbed is taken up again
				c.Lock(1)
				c.Unlock(1)
				left <- true
			}()
			synctest.Wait()
			c.Unlock(0)
			<-left
			c.Lock(2)
			if c.TryLock(0) {
				t.Errorf("%s: 0 is inside together with 2", name)
			}
			c.Unlock(2)
			if !c.TryLock(1) {
				t.Errorf("%s: TryLock fails, and nobody is inside", name)
			}
			c.Unlock(1)
		})
	}
}

func TestObserver(t *testing.T) {
	var seen []string
	c := messaging.NewCluster(2, ricartagrawala.New, messaging.Observe(func(e messaging.Event) {
		seen = append(seen, fmt.Sprint(e.Node, " ", e.Action, " ", e.Peer, " ", e.Message))
	}))
	defer c.Close()
	c.Lock(0)
	c.Unlock(0)
	want := []string{
		"0 sent 1 {{1 0}}", "1 delivered 0 {{1 0}}", "1 sent 0 {{1 0}}", "0 delivered 1 {{1 0}}",
		"0 entered 0 <nil>", "0 left 0 <nil>",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen:\n%s\nwant:\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

// Of an entry alone nothing is allocated but the messages: one request, which all
// others get, and a reply of each.
func TestAllocations(t *testing.T) {
	for _, n := range []int{1, 2, 5, 32} {
		c := messaging.NewCluster(n, ricartagrawala.New)
		got := testing.AllocsPerRun(100, func() {
			c.Lock(0)
			c.Unlock(0)
		})
		if want := float64(n); got > want {
			t.Errorf("%d nodes: %v allocations an entry, want %v", n, got, want)
		}
		c.Close()
	}
}

// chatter is an algorithm in which every node, once it is asked to enter, sends
// numbers to all others, who check that they come in order, and send on to a third.
type chatter struct {
	start    messaging.Start
	broken   func(string)
	sent     []int
	received []int
}

type number struct{ N, TTL int }

func (c *chatter) Request(out messaging.Out) {
	for j := range c.start.Others() {
		c.send(j, 20, out)
	}
	out.Enter()
}

func (c *chatter) send(j messaging.ID, ttl int, out messaging.Out) {
	c.sent[j]++
	out.Send(j, number{c.sent[j], ttl})
}

func (c *chatter) Release(messaging.Out) {}

func (c *chatter) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := m.(number)
	if n.N != c.received[from]+1 {
		c.broken(fmt.Sprintf("node %d got number %d of node %d after %d", c.start.Self, n.N, from, c.received[from]))
	}
	c.received[from] = n.N
	if to := messaging.ID(out.Choose(c.start.Nodes)); n.TTL > 0 && to != c.start.Self {
		c.send(to, n.TTL-1, out)
	}
}

// Links are FIFO, but where they are told not to be.
func TestLinksAreFIFO(t *testing.T) {
	for name, options := range deliveries {
		var mu sync.Mutex
		broken := 0
		c := messaging.NewCluster(6, func(s messaging.Start) messaging.Exclusion {
			return &chatter{s, func(string) {
				mu.Lock()
				defer mu.Unlock()
				broken++
			}, make([]int, s.Nodes), make([]int, s.Nodes)}
		}, options(1)...)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				for range 300 {
					c.Lock(i)
					c.Unlock(i)
				}
			})
		}
		wg.Wait()
		c.Close()
		mu.Lock()
		if (broken > 0) != (name == "unordered") {
			t.Errorf("%s: %d messages were out of order", name, broken)
		}
		mu.Unlock()
	}
}

// wanderer is a token that goes round for ever once a node has asked to enter.
type wanderer struct {
	start messaging.Start
	wants bool
}

type token struct{}

func (w *wanderer) Request(out messaging.Out) {
	if w.start.Self == 0 && !w.wants {
		out.Send(w.next(), token{})
	}
	w.wants = true
}

func (w *wanderer) next() messaging.ID {
	return (w.start.Self + 1) % messaging.ID(w.start.Nodes)
}

func (w *wanderer) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if w.wants {
		w.wants = false
		out.Enter()
	}
	out.Send(w.next(), m)
}

func (w *wanderer) Release(messaging.Out) {}

// A caller does not run other nodes for ever: the cluster goes on by itself, and
// ends when it is closed.
func TestEndless(t *testing.T) {
	c := messaging.NewCluster(3, func(s messaging.Start) messaging.Exclusion { return &wanderer{start: s} })
	c.Lock(0)
	c.Unlock(0)
	for i := range 3 {
		if i > 0 {
			c.Lock(i)
			c.Unlock(i)
		}
	}
	c.Close()
}

// sleeper enters a second after it was asked to.
type sleeper struct{ messaging.Start }

func (s sleeper) Request(out messaging.Out)                                      { out.After(time.Second, token{}) }
func (s sleeper) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) { out.Enter() }
func (s sleeper) Release(messaging.Out)                                          {}

func TestTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := messaging.NewCluster(2, func(s messaging.Start) messaging.Exclusion { return sleeper{s} })
		start := time.Now()
		c.Lock(0)
		if d := time.Since(start); d != time.Second {
			t.Errorf("the timer took %v", d)
		}
		c.Unlock(0)
		errs := make(chan error)
		go func() { errs <- c.LockContext(context.Background(), 1) }()
		synctest.Wait()
		c.Close() // with a timer under way
		if err := <-errs; !errors.Is(err, messaging.ErrClosed) {
			t.Error(err)
		}
	})
}

// fragile panics when it gets a message.
type fragile struct{ messaging.Exclusion }

func (fragile) Receive(messaging.ID, messaging.Message, messaging.Out) { panic("fragile: it broke") }

// A node that panics takes the cluster with it: nobody waits for it for ever.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := messaging.NewCluster(3, func(s messaging.Start) messaging.Exclusion {
			if s.Self == 2 {
				return fragile{ricartagrawala.New(s)}
			}
			return ricartagrawala.New(s)
		})
		panics(t, "fragile: it broke", func() { c.Lock(0) })
		if err := c.LockContext(t.Context(), 1); !errors.Is(err, messaging.ErrClosed) {
			t.Errorf("after a panic LockContext returns %v", err)
		}
		c.Close()
	})
}

// chatty is a node of a coordinator that says hello when it has entered.
type chatty struct {
	messaging.Start
	queue []messaging.ID // of the coordinator, who is inside the first
}

type (
	ask     struct{}
	granted struct{}
	leave   struct{}
	hello   struct{}
)

func (c *chatty) Request(out messaging.Out) { out.Send(0, ask{}) }
func (c *chatty) Release(out messaging.Out) { out.Send(0, leave{}) }

func (c *chatty) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case ask:
		if c.queue = append(c.queue, from); len(c.queue) == 1 {
			out.Send(from, granted{})
		}
	case leave:
		if c.queue = c.queue[1:]; len(c.queue) > 0 {
			out.Send(c.queue[0], granted{})
		}
	case granted:
		out.Enter()
		out.Send(0, hello{})
	}
}

// An entry that nobody wants any more is told to nobody, also if the node sends
// something before it leaves: whoever comes next must not take it for its own.
func TestAbsorbedEntryIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entries := 0
		c := messaging.NewCluster(3, func(s messaging.Start) messaging.Exclusion { return &chatty{Start: s} },
			messaging.Observe(func(e messaging.Event) {
				if e.Action == messaging.Entered {
					entries++
				}
			}))
		defer c.Close()
		c.Lock(2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.LockContext(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		c.Unlock(2) // 1 enters, and leaves at once
		c.Lock(2)
		inside := false
		var wg sync.WaitGroup
		wg.Go(func() {
			c.Lock(1)
			inside = true
			c.Unlock(1)
		})
		synctest.Wait()
		if inside {
			t.Error("1 and 2 are inside")
		}
		c.Unlock(2)
		wg.Wait()
		if entries != 3 {
			t.Errorf("%d entries were told, want 3", entries)
		}
	})
}

// Nodes draw each for itself, and the same with the same seed.
func TestNodesDrawEachForItself(t *testing.T) {
	draws := func(seed uint64) (drawn [2][]int) {
		c := messaging.NewCluster(2, func(s messaging.Start) messaging.Exclusion {
			return script{request: func(out messaging.Out) {
				drawn[s.Self] = append(drawn[s.Self], out.Choose(1000))
				out.Enter()
			}}
		}, messaging.Seed(seed))
		defer c.Close()
		for k := range 20 {
			c.Lock(k % 2)
			c.Unlock(k % 2)
		}
		return drawn
	}
	a, again, other := draws(1), draws(1), draws(2)
	if slices.Equal(a[0], a[1]) || slices.Equal(a[0], other[0]) || !slices.Equal(a[0], again[0]) || !slices.Equal(a[1], again[1]) {
		t.Errorf("drawn were %v, again %v, and with another seed %v", a, again, other)
	}
}
