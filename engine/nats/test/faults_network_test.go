package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/internal/tier"
)

// A proxy is the network between a member and the server: it delays, and may stop. As TCP, it loses nothing then.
type proxy struct {
	listener net.Listener
	to       string
	works    sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
	delay time.Duration
	open  chan struct{} // closed unless the network has stopped
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: listener, to: to, open: make(chan struct{})}
	close(p.open)
	p.works.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		here, err := p.listener.Accept()
		if err != nil {
			return
		}
		there, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = here.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, here, there)
		p.mu.Unlock()
		p.works.Go(func() { p.pipe(here, there) })
		p.works.Go(func() { p.pipe(there, here) })
	}
}

// A chunk is due at a time.
type chunk struct {
	due  time.Time
	data []byte
}

// pipe copies until one side is closed.
func (p *proxy) pipe(from, to net.Conn) {
	chunks := make(chan chunk, 1<<12)
	p.works.Go(func() {
		defer func() { _ = to.Close() }()
		for c := range chunks {
			time.Sleep(time.Until(c.due)) // that is the delay
			p.mu.Lock()
			open := p.open
			p.mu.Unlock()
			<-open
			if _, err := to.Write(c.data); err != nil {
				_ = from.Close()
			}
		}
	})
	defer close(chunks)
	for {
		b := make([]byte, 1<<12)
		n, err := from.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		due := time.Now().Add(p.delay)
		p.mu.Unlock()
		chunks <- chunk{due, b[:n]}
	}
}

// set delays from now on; it stops the network, or has it go on.
func (p *proxy) set(delay time.Duration, stopped bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
	select {
	case <-p.open:
		if stopped {
			p.open = make(chan struct{})
		}
	default:
		if !stopped {
			close(p.open)
		}
	}
}

func (p *proxy) close() {
	p.set(0, false)
	closers := []io.Closer{p.listener}
	p.mu.Lock()
	for _, c := range p.conns {
		closers = append(closers, c)
	}
	p.mu.Unlock()
	for _, c := range closers {
		_ = c.Close()
	}
	p.works.Wait()
}

// Frames of lossy links are lost, sent twice, or late, each with a probability.
type lossy struct {
	engine.Links
	rate float64
	mu   sync.Mutex
	rnd  *rand.Rand
}

func (l *lossy) happens() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rnd.Float64() < l.rate
}

func (l *lossy) Send(inbox string, b []byte) error {
	if l.happens() {
		return nil
	}
	if l.happens() {
		_ = l.Links.Send(inbox, b)
	}
	if l.happens() {
		b = append([]byte{}, b...)
		time.AfterFunc(20*time.Millisecond, func() { _ = l.Links.Send(inbox, b) })
		return nil
	}
	return l.Links.Send(inbox, b)
}

// A network has members, each behind a network of its own.
type network struct {
	*counter
	proxies []*proxy
	locks   []*engine.Lock
}

const shortLease = 300 * time.Millisecond

func newNetwork(t *testing.T, seed uint64, n int) *network {
	t.Helper()
	b := serve(t, files(t))
	w := &network{counter: newCounter(true)}
	for i := range n {
		p := newProxy(t, b.Addr().String())
		c := config(t, connectTo(t, p.url()), "orders")
		c.Links = &lossy{Links: c.Links, rate: .03, rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		c.Lease, c.Process = shortLease, fmt.Sprint("p", i)
		l, err := engine.Join(t.Context(), "orders", c)
		require.NoError(t, err)
		t.Cleanup(func() { quits(t, l) })
		w.proxies, w.locks = append(w.proxies, p), append(w.locks, l)
	}
	return w
}

// use adds to the counter until stop is closed. Every tenth user is late to write, and does not see that its
// guard has ended.
func (w *network) use(t *testing.T, client int, l *engine.Lock, stop <-chan struct{}) {
	t.Helper()
	for k := 0; ; k++ {
		select {
		case <-stop:
			return
		default:
		}
		hold := time.Duration(0)
		if (k+client)%10 == 0 {
			hold = shortLease / 2
		}
		if err := w.add(client, l, hold); err != nil {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}

// add locks, reads, holds, writes and unlocks.
func (w *network) add(client int, l *engine.Lock, hold time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*shortLease)
	defer cancel()
	locks := w.now()
	g, err := l.Lock(ctx)
	if err != nil {
		return err
	}
	began := w.now()
	if value, is := w.read(g.Token(), g.ID()); is {
		if hold > 0 {
			<-time.After(hold)
		}
		w.write(client, g.Token(), g.ID(), value, began)
	}
	ends := w.now()
	if err := g.Unlock(); err != nil {
		if !errors.Is(err, engine.ErrLost) {
			return err
		}
		ends = locks // at any time
	}
	w.held(client, g.ID(), locks, began, ends, w.now())
	return nil
}

// Networks lose and duplicate frames, delay all that is sent, and stop for longer and shorter than a lease: users exclude
// each other, no update is lost, and when the faults have ended, every member enters.
func TestNetwork(t *testing.T) {
	for seed := range uint64(tier.Pick(2, 20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newNetwork(t, seed, 3)
			rnd := rand.New(rand.NewPCG(seed, 34))
			stop := make(chan struct{})
			var users sync.WaitGroup
			for i, l := range w.locks {
				for k := range 2 {
					users.Go(func() { w.use(t, 2*i+k, l, stop) })
				}
			}
			for range tier.Pick(8, 40) {
				p := w.proxies[rnd.IntN(len(w.proxies))]
				p.set(time.Duration(rnd.Int64N(int64(50*time.Millisecond))), rnd.IntN(2) == 0)
				<-time.After(time.Duration(rnd.Int64N(int64(2 * shortLease))))
			}
			for _, p := range w.proxies {
				p.set(0, false)
			}
			close(stop)
			users.Wait()
			for i, l := range w.locks {
				require.Eventually(t, func() bool { return w.add(2*i, l, 0) == nil }, 30*time.Second, time.Millisecond)
			}
			assert.Equal(t, porcupine.Ok, w.judge(t), "the counter")
			assert.Equal(t, len(w.adds), w.value)
		})
	}
}
