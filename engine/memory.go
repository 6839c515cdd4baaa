package engine

import (
	"context"
	"errors"
	"sync"
)

// Memory returns links and a store of one lock within this process, for tests: members that share them are one
// another's peers. They work in a bubble of testing/synctest.
func Memory() (Links, Store) {
	m := &memory{inboxes: map[string]*inbox{}, changed: make(chan struct{})}
	return (*links)(m), (*register)(m)
}

type memory struct {
	mu      sync.Mutex
	inboxes map[string]*inbox
	data    []byte
	version uint64
	changed chan struct{} // closed at the next swap
}

// An inbox delivers frames one at a time, in the order of sending.
type inbox struct {
	mu      sync.Mutex
	f       func([]byte)
	frames  [][]byte
	busy    bool
	stopped bool
}

type links memory

func (m *links) Listen(name string, f func(frame []byte)) (stop func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.inboxes[name] != nil {
		return nil, errors.New("the inbox is taken")
	}
	b := &inbox{f: f}
	m.inboxes[name] = b
	return func() {
		m.mu.Lock()
		delete(m.inboxes, name)
		m.mu.Unlock()
		b.mu.Lock()
		b.stopped, b.frames = true, nil
		b.mu.Unlock()
	}, nil
}

func (m *links) Send(name string, frame []byte) error {
	m.mu.Lock()
	b := m.inboxes[name]
	m.mu.Unlock()
	if b == nil {
		return errors.New("there is no such inbox")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return nil
	}
	b.frames = append(b.frames, append([]byte{}, frame...))
	if !b.busy {
		b.busy = true
		go b.deliver()
	}
	return nil
}

// deliver delivers until there is no frame. It is a goroutine of its own, since a receiver sends.
func (b *inbox) deliver() {
	for {
		b.mu.Lock()
		if len(b.frames) == 0 {
			b.busy = false
			b.mu.Unlock()
			return
		}
		next := b.frames[0]
		b.frames = b.frames[1:]
		b.mu.Unlock()
		b.f(next)
	}
}

type register memory

func (m *register) Load(ctx context.Context) (data []byte, version uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data, m.version, ctx.Err()
}

var errVersion = errors.New("the record has another version")

func (m *register) Swap(ctx context.Context, old uint64, data []byte) (version uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case old != m.version:
		return 0, errVersion
	}
	m.data = append([]byte{}, data...)
	m.version++
	close(m.changed)
	m.changed = make(chan struct{})
	return m.version, nil
}

func (m *register) Watch(ctx context.Context, changed func()) error {
	for {
		m.mu.Lock()
		next := m.changed
		m.mu.Unlock()
		changed()
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
