//go:build unix

package test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// A child is a process of this program.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

func spawn(t *testing.T, variable string, config any) *child {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	c := &child{cmd: exec.Command(program)}
	c.cmd.Env = append(os.Environ(), variable+"="+string(text))
	c.cmd.Stderr = os.Stderr
	c.in, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.out = json.NewDecoder(out)
	require.NoError(t, c.cmd.Start())
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

// A crew are members that are processes, and a counter to which they add.
type crew struct {
	*counter
	url     string
	lease   time.Duration
	members map[string]*child
	served  sync.WaitGroup

	mu      sync.Mutex
	leaving bool
	caught  map[string]chan<- *child // what happens when a member reads next; it waits for the answer then
	times   map[string]int           // how often a member has unlocked
	last    time.Time                // the last entry
}

func newCrew(url string, lease time.Duration, fenced bool) *crew {
	return &crew{
		counter: newCounter(fenced), url: url, lease: lease,
		members: map[string]*child{}, caught: map[string]chan<- *child{}, times: map[string]int{},
	}
}

// join starts a member.
func (r *crew) join(t *testing.T, name string) {
	t.Helper()
	c := spawn(t, childMember, memberConfig{r.url, name, r.lease})
	r.members[name] = c
	client := len(r.members)
	r.served.Go(func() { r.serve(name, client, c) })
}

// A turn is a section of a member, by the times when it was answered.
type turn struct {
	guard                string
	asked, began, before int64 // before it locked, when it was inside, before it unlocked
	read                 int
}

// serve answers a member until it ends.
func (r *crew) serve(name string, client int, c *child) {
	out := json.NewEncoder(c.in)
	s := turn{before: r.now()}
	for {
		var got report
		if c.out.Decode(&got) != nil {
			break
		}
		a := r.answer(name, client, c, &s, got)
		s.before = r.now()
		if out.Encode(a) != nil {
			break
		}
	}
	if s.guard != "" { // it was killed inside
		r.held(client, s.guard, s.asked, s.began, s.began, forever)
	}
}

func (r *crew) answer(name string, client int, c *child, s *turn, got report) (a answer) {
	now := r.now()
	switch got.Kind {
	case reads:
		s.guard, s.asked, s.began = got.ID, s.before, now
		var is bool
		s.read, is = r.read(got.Token, got.ID)
		a.Value, a.Refused = s.read, !is
		r.enters(name, c)
	case writes:
		a.Refused = !r.write(client, got.Token, got.ID, s.read, s.began)
	case unlocked:
		ends := s.before
		if got.Lost { // at any time
			ends = s.asked
		}
		r.held(client, s.guard, s.asked, s.began, ends, now)
		s.guard = ""
		r.mu.Lock()
		r.times[name]++
		a.Leave = r.leaving
		r.mu.Unlock()
	}
	return a
}

// enters notes an entry, and hands over a member that is to be caught.
func (r *crew) enters(name string, c *child) {
	r.mu.Lock()
	r.last = time.Now()
	caught := r.caught[name]
	delete(r.caught, name)
	r.mu.Unlock()
	if caught != nil {
		caught <- c
		caught <- nil // when what is to be done with it is done
	}
}

// catch does something to a member that is inside: it has read, and does not know yet what.
func (r *crew) catch(t *testing.T, name string, do func(c *child)) {
	t.Helper()
	caught := make(chan *child)
	r.mu.Lock()
	r.caught[name] = caught
	r.mu.Unlock()
	select {
	case c := <-caught:
		do(c)
		<-caught
	case <-time.After(30 * time.Second):
		require.Fail(t, "the member does not enter", name)
	}
}

// turns returns how often a member has unlocked.
func (r *crew) turns(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.times[name]
}

// entered returns when the last member has.
func (r *crew) entered() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// goOn waits until each of these members has unlocked some times more.
func (r *crew) goOn(t *testing.T, times int, names ...string) {
	t.Helper()
	for _, name := range names {
		before := r.turns(name)
		require.Eventually(t, func() bool { return r.turns(name) >= before+times }, 30*time.Second, time.Millisecond, "the member %s does not enter", name)
	}
}

// leave has all members leave that live.
func (r *crew) leave() {
	r.mu.Lock()
	r.leaving = true
	r.mu.Unlock()
	r.served.Wait()
}

func signal(t *testing.T, s os.Signal) func(*child) {
	t.Helper()
	return func(c *child) { assert.NoError(t, c.cmd.Process.Signal(s)) }
}

// A member is stopped in its critical section for more than its lease. When it goes on, it writes what it had read before:
// without a fence, that loses what others have written meanwhile.
func TestStopped(t *testing.T) {
	for _, fenced := range []bool{true, false} {
		t.Run(fmt.Sprint("fenced=", fenced), func(t *testing.T) {
			t.Parallel()
			b := serve(t, files(t))
			streams(t, connect(t, b))
			r := newCrew(b.ClientURL(), time.Second, fenced)
			for _, name := range []string{"a", "b", "c"} {
				r.join(t, name)
			}
			r.goOn(t, 3, "a", "b", "c")
			r.catch(t, "a", signal(t, syscall.SIGSTOP))
			r.goOn(t, 3, "b", "c")
			signal(t, syscall.SIGCONT)(r.members["a"])
			r.goOn(t, 3, "a", "b", "c")
			r.leave()
			if fenced {
				assert.Equal(t, porcupine.Ok, r.judge(t))
				assert.Positive(t, r.refused)
				assert.Equal(t, len(r.adds), r.value)
			} else {
				assert.Equal(t, porcupine.Illegal, r.judge(t))
				assert.Less(t, r.value, len(r.adds))
			}
		})
	}
}

// A member is killed in its critical section. The others go on when its lease is over.
func TestKilled(t *testing.T) {
	for _, lease := range tier.Pick([]time.Duration{time.Second}, []time.Duration{time.Second, 3 * time.Second}) {
		t.Run(fmt.Sprint("lease=", lease), func(t *testing.T) {
			t.Parallel()
			b := serve(t, files(t))
			streams(t, connect(t, b))
			r := newCrew(b.ClientURL(), lease, true)
			for _, name := range []string{"a", "b", "c"} {
				r.join(t, name)
			}
			r.goOn(t, 3, "a", "b", "c")
			for k := range tier.Pick(1, 10) {
				victim := fmt.Sprint("victim", k)
				r.join(t, victim)
				r.catch(t, victim, signal(t, syscall.SIGKILL))
				killed := time.Now()
				r.goOn(t, 1, "a")
				t.Logf("the next entry was %v after the kill", r.entered().Sub(killed))
				r.goOn(t, 1, "b", "c")
			}
			r.leave()
			assert.Equal(t, porcupine.Ok, r.judge(t))
		})
	}
}

// The server is killed, and starts again with its files.
func TestServerIsKilled(t *testing.T) {
	config := serverConfig{Dir: t.TempDir(), Port: -1}
	s := spawn(t, childServer, config)
	var url string
	require.NoError(t, s.out.Decode(&url))
	_, err := fmt.Sscanf(url, "nats://127.0.0.1:%d", &config.Port)
	require.NoError(t, err)
	streams(t, connectTo(t, url))
	r := newCrew(url, time.Second, true)
	for _, name := range []string{"a", "b", "c"} {
		r.join(t, name)
	}
	for range tier.Pick(1, 10) {
		r.goOn(t, 3, "a", "b", "c")
		signal(t, syscall.SIGKILL)(s)
		_ = s.cmd.Wait()
		s = spawn(t, childServer, config)
		require.NoError(t, s.out.Decode(&url))
	}
	r.goOn(t, 3, "a", "b", "c")
	r.leave()
	assert.Equal(t, porcupine.Ok, r.judge(t))
}
