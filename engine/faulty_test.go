package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"example.org/doorway/engine"
)

// A site is a machine whose frames are lost, delayed and duplicated at random, and whose store fails, answers late
// or does not say what it has done. One that is down sends and gets nothing.
type site struct {
	links engine.Links
	store engine.Store
	rate  float64 // of faults

	mu      sync.Mutex
	rnd     *rand.Rand
	down    bool
	refuses int // so many calls of Listen
}

var errFault = errors.New("a fault")

func (s *site) happens() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rate > 0 && s.rnd.Float64() < s.rate
}

func (s *site) upTo(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.rnd.Int64N(int64(d)))
}

func (s *site) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

func (s *site) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *site) refuse(times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = times
}

func (s *site) Listen(inbox string, f func([]byte)) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses > 0 {
		s.refuses--
		return nil, errFault
	}
	return s.links.Listen(inbox, func(b []byte) {
		if !s.isDown() {
			f(b)
		}
	})
}

func (s *site) Send(inbox string, b []byte) error {
	if s.isDown() || s.happens() {
		return nil
	}
	again := s.happens()
	if s.happens() {
		b = append([]byte{}, b...)
		time.AfterFunc(s.upTo(100*time.Millisecond), func() { _ = s.links.Send(inbox, b) })
		return nil
	}
	if again {
		_ = s.links.Send(inbox, b)
	}
	return s.links.Send(inbox, b)
}

// wait takes some time, or forever if the machine is down.
func (s *site) wait(ctx context.Context) error {
	d := time.Duration(0)
	if s.happens() {
		d = s.upTo(300 * time.Millisecond)
	}
	if s.isDown() {
		d = time.Hour
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *site) Load(ctx context.Context) ([]byte, uint64, error) {
	if err := s.wait(ctx); err != nil || s.happens() {
		return nil, 0, errors.Join(err, errFault)
	}
	return s.store.Load(ctx)
}

func (s *site) Swap(ctx context.Context, old uint64, data []byte) (uint64, error) {
	if err := s.wait(ctx); err != nil || s.happens() {
		return 0, errors.Join(err, errFault)
	}
	version, err := s.store.Swap(ctx, old, data)
	if err == nil && (s.happens() || s.isDown() || s.wait(ctx) != nil) {
		return 0, errFault // it is not known whether it was done
	}
	return version, err
}

func (s *site) Watch(ctx context.Context, changed func()) error {
	return s.store.Watch(ctx, func() {
		if !s.isDown() && !s.happens() {
			changed()
		}
	})
}

// Late links receive a frame while listening is stopped, which waits for that.
type late struct{ engine.Links }

func (l late) Listen(inbox string, f func([]byte)) (func(), error) {
	stop, err := l.Links.Listen(inbox, f)
	return func() {
		stop()
		received := make(chan struct{})
		go func() {
			f([]byte("late"))
			close(received)
		}()
		<-received
	}, err
}
