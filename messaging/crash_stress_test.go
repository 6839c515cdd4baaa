package messaging_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/action/causes"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A fenced resource notes the tokens of entries, and the entry that is going on.
type fenced struct {
	mu      sync.Mutex
	latest  map[int]messaging.Token // by node
	refused int
	wrong   []string
	exclude func(i, j int) bool
}

// use uses the resource with a token; it is refused if another has come with a newer one.
func (f *fenced) use(i int, token messaging.Token) (ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for j, other := range f.latest {
		if f.exclude(i, j) && token.Before(other) {
			f.refused++
			return false
		}
		if j != i && token == other {
			f.wrong = append(f.wrong, fmt.Sprintf("nodes %d and %d have the token %v", i, j, token))
		}
	}
	f.latest[i] = token
	return true
}

// Users go on while nodes crash, in their critical sections too, and are stopped, until one is left.
// Their resource has no entry overlap another but those of users whose nodes are down, which it
// refuses.
func TestCrashesAmongMany(t *testing.T) {
	for processors := range on(t, 1, 2, 8) {
		seen := map[string]int{}
		for seed := range uint64(max(20, tier.Fewer(tier.Pick(40, 1000)))) {
			crashAmongMany(t, seed, seen)
		}
		t.Logf("%d processors: %v", processors, seen)
		for _, what := range []string{"refused", "crashed", "lost", "told", "emitted", "gave up", "overtaken"} {
			assert.NotZero(t, seen[what], "%s with %d processors", what, processors)
		}
	}
}

func crashAmongMany(t *testing.T, seed uint64, seen map[string]int) {
	t.Helper()
	const n = 5
	var mu sync.Mutex
	var events []messaging.Event
	options := []messaging.Option{messaging.Observe(func(e messaging.Event) {
		mu.Lock()
		events = append(events, e)
		mu.Unlock()
	})}
	switch seed % 3 {
	case 1:
		options = append(options, messaging.Scramble(seed))
	case 2:
		options = append(options, messaging.Unordered(seed))
	}
	c := messaging.NewCluster(n, ricartagrawala.NewAcknowledged(10*time.Microsecond, 20*time.Microsecond), options...)
	f := &fenced{latest: map[int]messaging.Token{}, exclude: func(int, int) bool { return true }}
	var users sync.WaitGroup
	for k := range 2 * n {
		i, chance := k%n, rand.New(rand.NewPCG(seed, uint64(k)))
		l := c.Node(i)
		users.Go(func() {
			for range 6 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(chance.IntN(500))*time.Microsecond)
				if chance.IntN(2) == 0 {
					cancel()
					ctx = context.Background()
				}
				err := l.LockContext(ctx)
				cancel()
				if errors.Is(err, messaging.ErrDown) {
					return
				}
				if err != nil {
					continue
				}
				token := l.Token()
				f.use(i, token)
				if i != 0 && chance.IntN(8) == 0 {
					c.Crash(i)
				}
				f.use(i, token)
				assert.Equal(t, token, l.Token())
				l.Unlock()
			}
		})
	}
	users.Go(func() { c.Crash(int(seed)%(n-1) + 1) })
	users.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seed%7)*100*time.Microsecond)
		defer cancel()
		if err := c.Stop(ctx, int(seed/2)%(n-1)+1); err != nil {
			assert.Equal(t, context.DeadlineExceeded, err)
		}
	})
	ended := make(chan bool)
	go func() { users.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		panic(fmt.Sprintf("seed %d: a caller waits forever", seed))
	}
	c.Lock(0)
	require.True(t, f.use(0, c.Token(0)), "the last entry is refused")
	c.Unlock(0)
	c.Close()
	require.Empty(t, f.wrong)
	mu.Lock()
	defer mu.Unlock()
	slices.SortFunc(events, func(a, b messaging.Event) int { return cmp.Compare(a.Number, b.Number) })
	require.NoError(t, causes.Check(events, false), "seed %d", seed)
	require.NoError(t, overlap(events), "seed %d", seed)
	if many := overtaken(events); seed%3 == 2 {
		seen["overtaken"] += many
	} else {
		require.Zero(t, many, "seed %d: links are FIFO", seed)
	}
	for _, e := range events {
		seen[e.Action]++
	}
	seen["refused"] += f.refused
}

// overlap returns an error if a node enters while another is inside that is up; if one that is
// down acts; or if one is told of a crash twice, or before a message that was sent before the crash.
func overlap(events []messaging.Event) error {
	inside, down := messaging.ID(-1), map[messaging.ID]bool{}
	crash := map[messaging.ID]uint64{} // the last, by node
	told := map[[2]messaging.ID]bool{}
	for _, e := range events {
		at := causes.At(e)
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
			down[e.From], crash[e.From] = true, e.Number
			if inside == e.From {
				inside = -1
			}
		case "delivered":
			if told[[2]messaging.ID{e.From, e.To}] && e.Cause < crash[e.From] {
				return fmt.Errorf("told of the crash of node %d before %+v", e.From, e)
			}
		case "lost":
			if !down[e.To] {
				return fmt.Errorf("node %d is up: %+v", e.To, e)
			}
		case "told":
			link := [2]messaging.ID{e.From, e.To}
			if !down[e.From] || told[link] {
				return fmt.Errorf("told in vain: %+v", e)
			}
			told[link] = true
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
