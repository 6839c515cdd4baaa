package natsengine

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"example.org/doorway/engine"
)

// Links returns links over a connection. Frames to a member of the lock "orders" are published to the subject
// doorway.orders.<member>.
//
// Links of one connection may be used for any number of locks. The caller closes the connection, after
// [engine.Lock.Leave].
func Links(nc *nats.Conn) engine.Links { return &links{nc: nc} }

// A connection whose server does not read blocks those who publish, for a minute unless
// nats.FlusherTimeout says other, and so it would block the methods of locks, whatever their contexts say. So
// a goroutine publishes, which lives as long as there are frames.
type links struct {
	nc *nats.Conn

	mu     sync.Mutex
	frames []frame
	busy   bool  // there is a goroutine
	err    error // of a frame before
}

type frame struct {
	subject string
	data    []byte
}

// most is how many frames wait for a connection that is blocked.
const most = 1 << 12

var errBlocked = errors.New("natsengine: the connection is blocked: a frame is dropped")

func (l *links) Send(inbox string, data []byte) error {
	subject := subject(inbox)
	if err := short(inbox, subject); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.frames) == most {
		return errBlocked
	}
	l.frames = append(l.frames, frame{subject, bytes.Clone(data)})
	if !l.busy {
		l.busy = true
		go l.publish()
	}
	err := l.err
	l.err = nil
	return err
}

// publish publishes until there is no frame.
func (l *links) publish() {
	var frames []frame
	for {
		l.mu.Lock()
		frames, l.frames = l.frames, frames[:0]
		if len(frames) == 0 {
			l.busy = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		for _, f := range frames {
			if err := l.nc.Publish(f.subject, f.data); err != nil {
				l.mu.Lock()
				l.err = err
				l.mu.Unlock()
			}
		}
	}
}

func (l *links) Listen(inbox string, f func(frame []byte)) (stop func(), err error) {
	subject := subject(inbox)
	if err := short(inbox, subject); err != nil {
		return nil, err
	}
	sub, err := l.nc.Subscribe(subject, func(m *nats.Msg) {
		if len(m.Data) > 0 {
			f(m.Data)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := l.permitted(subject); err != nil {
		_ = sub.Unsubscribe()
		return nil, err
	}
	return func() { go func() { _ = sub.Unsubscribe() }() }, nil
}

// permitted returns an error if the server says that this account may not send to a subject, or not listen to it. A
// server that cannot be reached says nothing: the connection subscribes again when it can.
func (l *links) permitted(subject string) error {
	if !l.nc.IsConnected() {
		return nil
	}
	_ = l.nc.Publish(subject, nil)
	if l.nc.FlushTimeout(patience) != nil {
		return nil
	}
	err := l.nc.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), strconv.Quote(subject)) {
		return fmt.Errorf("natsengine: members of a lock publish and subscribe to doorway.<lock>.>: %w", err)
	}
	return nil
}
