package recovery_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
)

// A fenced resource refuses who comes with an older token than the largest that it has seen.
type fenced struct {
	mu      sync.Mutex
	latest  messaging.Token
	owner   int
	refused int
	wrong   []string
}

// use uses the resource with the token of an entry of node i, in the beginning of that or later. As
// long as its node is up, no other node can have come with a larger one.
func (f *fenced) use(i int, token messaging.Token, enters bool, up func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case enters && f.latest.Before(token):
		f.latest, f.owner = token, i
	case !enters && token == f.latest && i == f.owner:
	case up():
		f.wrong = append(f.wrong, fmt.Sprintf("node %d is inside with token %v, and node %d has come with %v", i, token, f.owner, f.latest))
	case enters || token.Before(f.latest):
		f.refused++
	}
}

// A storm is a cluster whose nodes crash, are stopped and start again while users of all use a fenced
// resource.
type storm struct {
	t        *testing.T
	c        *cluster.Cluster
	resource fenced
	seed     uint64

	mu    sync.Mutex
	began []int          // by node, how many crashes; guarded by mu
	ended []int          // likewise, that are over
	seen  map[string]int // guarded by mu
	down  chan int       // nodes that are to be restarted
}

func (s *storm) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[what]++
}

// up returns a function that reports whether node i has been up since.
func (s *storm) up(i int) func() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, up := s.began[i], s.began[i] == s.ended[i]
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return up && s.began[i] == before
	}
}

// crash has a node crash, which starts again later.
func (s *storm) crash(i int) {
	count := func(crashes []int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		crashes[i]++
	}
	count(s.began)
	s.c.Crash(i)
	count(s.ended)
	s.note("crashes")
	s.down <- i
}

// stop stops a node, no entry of which it cuts short, and which starts again later.
func (s *storm) stop(i int, within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := s.c.Stop(ctx, i); err != nil {
		assert.Equal(s.t, context.DeadlineExceeded, err)
		return
	}
	s.note("stops")
	s.down <- i
}

// restart starts those again that are down, until no node will crash any more.
func (s *storm) restart(chance *rand.Rand) {
	for i := range s.down {
		if chance.IntN(3) > 0 {
			time.Sleep(time.Duration(chance.IntN(2000)) * time.Microsecond) // others notice, or they do not
		}
		func() {
			defer func() {
				if p := recover(); p != nil { // who has crashed it twice has it restarted twice
					assert.Equal(s.t, fmt.Sprintf("cluster: restart of node %d, which is up", i), p)
				}
			}()
			s.c.Restart(i)
			s.note("restarts")
		}()
	}
}

// lock enters as node i in one of the ways that there are, and reports whether it did.
func (s *storm) lock(l cluster.Locker, i int, chance *rand.Rand) (entered bool) {
	switch chance.IntN(4) {
	case 0:
		defer func() {
			if p := recover(); p != nil {
				assert.Equal(s.t, fmt.Sprintf("cluster: lock of node %d, which is down", i), p)
				s.note("down")
			}
		}()
		l.Lock()
		return true
	case 1:
		return l.TryLock()
	case 2:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(chance.IntN(1000))*time.Microsecond)
		defer cancel()
		err := l.LockContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			s.note("gave up")
		}
		return err == nil
	}
	err := l.LockContext(context.Background())
	if err != nil {
		assert.Equal(s.t, cluster.ErrDown, err)
		s.note("down")
	}
	return err == nil
}

// visit uses the resource as node i, which may crash meanwhile.
func (s *storm) visit(i int, chance *rand.Rand) {
	l := s.c.Node(i)
	for range 8 {
		up := s.up(i)
		if !s.lock(l, i, chance) {
			time.Sleep(time.Duration(chance.IntN(200)) * time.Microsecond)
			continue
		}
		token := l.Token()
		s.resource.use(i, token, true, up)
		if chance.IntN(10) == 0 {
			s.crash(i)
		}
		if chance.IntN(3) == 0 {
			time.Sleep(time.Duration(chance.IntN(300)) * time.Microsecond) // a long critical section
		}
		s.resource.use(i, token, false, up)
		assert.Equal(s.t, token, l.Token())
		l.Unlock()
		s.note("entries")
	}
}

// run has users and faults come until all users are through, and then each node enter once more.
func (s *storm) run() {
	chance := func(k int) *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(k))) }
	n := s.c.Processes()
	var users, restarts sync.WaitGroup
	restarts.Go(func() { s.restart(chance(-1)) })
	for k := range 2 * n {
		users.Go(func() { s.visit(k%n, chance(k)) })
	}
	users.Go(func() {
		chance := chance(-2)
		for range 4 {
			time.Sleep(time.Duration(chance.IntN(1500)) * time.Microsecond)
			if i := chance.IntN(n); chance.IntN(2) == 0 {
				s.crash(i)
			} else {
				s.stop(i, time.Duration(chance.IntN(2000))*time.Microsecond)
			}
		}
	})
	users.Wait()
	close(s.down)
	restarts.Wait()
	for i := range n {
		up := s.up(i)
		s.c.Lock(i)
		s.resource.use(i, s.c.Token(i), true, up)
		s.c.Unlock(i)
	}
}

// Users of all nodes go on with a resource while nodes crash, in their critical sections too, are stopped, and
// start again. Tokens of entries grow, no user of a node that is up is refused, and none waits forever.
func TestStorms(t *testing.T) {
	seen := map[string]int{}
	for _, p := range catalog.Protocols {
		if p.Excludes(2) != nil {
			continue
		}
		units := map[time.Duration]catalog.Protocol{time.Millisecond: catalog.Recovered(p)}
		if p.Name == "central" || p.Name == "suzukikasami" || tier.Full {
			units[50*time.Microsecond] = catalog.Suspecting(p) // so short that they suspect while others start again
		}
		for unit, r := range units {
			t.Run(r.Name, func(t *testing.T) {
				tier.Each(t, p.Package())
				for seed := range uint64(tier.Pick(4, 200)) {
					weather(t, r, unit, seed, seen)
				}
			})
		}
	}
	t.Log(seen)
	if tier.Full {
		return // those of one algorithm
	}
	for _, what := range []string{"crashes", "stops", "restarts", "entries", "gave up", "down", "refused", "lost", "told"} {
		assert.NotZero(t, seen[what], what)
	}
}

// weather runs one storm, in which timeouts are multiples of unit: where the protocol comes to rest, also with a
// clock on which no node is late.
func weather(t *testing.T, r catalog.Protocol, unit time.Duration, seed uint64, seen map[string]int) {
	t.Helper()
	storms := func(t *testing.T) {
		n := 2 + int(seed%4)
		order := []cluster.Option{cluster.Observe(nil), cluster.Unordered(seed), cluster.Scramble(seed)}[seed%3]
		if r.FIFO && seed%3 == 1 {
			order = cluster.Scramble(seed)
		}
		var mu sync.Mutex
		var events []messaging.Event // guarded by mu
		observe := cluster.Observe(func(e messaging.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		})
		s := &storm{
			t: t, c: cluster.New(n, r.Timed(unit), order, observe), seed: seed,
			began: make([]int, n), ended: make([]int, n), seen: seen, down: make(chan int, 1000),
		}
		s.run()
		s.c.Close()
		require.Empty(t, s.resource.wrong, "seed %d", seed)
		seen["refused"] += s.resource.refused
		mu.Lock()
		defer mu.Unlock()
		slices.SortFunc(events, func(a, b messaging.Event) int { return cmp.Compare(a.Number, b.Number) })
		require.NoError(t, causality.Check(events, false), "seed %d", seed)
		require.NoError(t, overlap(events), "seed %d", seed)
		for _, e := range events {
			seen[e.Action]++
		}
	}
	if (seed+seed/4)%2 == 0 && !r.Perpetual {
		synctest.Test(t, storms) // which fails if all wait forever
		return
	}
	late := time.AfterFunc(30*time.Second, func() { panic(fmt.Sprintf("%s, seed %d: a user waits forever", r.Name, seed)) })
	defer late.Stop()
	storms(t)
}

// overlap returns an error if a node enters while another is inside that is up; if one that is
// down acts; or if one is told of a crash twice, or before a message that was sent before the crash.
func overlap(events []messaging.Event) error {
	inside, down := messaging.ID(-1), map[messaging.ID]bool{}
	told := map[[2]messaging.ID]uint64{} // by link, the last crash that its end was told of
	for _, e := range events {
		at := causality.At(e)
		if e.Action != "lost" && e.Action != "restarted" && down[at] {
			return fmt.Errorf("node %d is down: %+v", at, e)
		}
		switch e.Action {
		case "entered":
			if inside >= 0 {
				return fmt.Errorf("node %d is inside: %+v", inside, e)
			}
			inside = e.From
		case "left":
			inside = -1
		case "crashed":
			down[e.From] = true
			if inside == e.From {
				inside = -1
			}
		case "delivered":
			if e.Cause < told[[2]messaging.ID{e.From, e.To}] {
				return fmt.Errorf("told of the crash of node %d before %+v", e.From, e)
			}
		case "lost":
			if !down[e.To] {
				return fmt.Errorf("node %d is up: %+v", e.To, e)
			}
		case "told":
			link := [2]messaging.ID{e.From, e.To}
			if e.Cause <= told[link] { // a node that has crashed may restart at this moment, and crash again
				return fmt.Errorf("told in vain: %+v", e)
			}
			told[link] = e.Cause
		case "restarted":
			delete(down, e.From)
			for link := range told {
				if link[0] == e.From || link[1] == e.From {
					delete(told, link)
				}
			}
		}
	}
	return nil
}
