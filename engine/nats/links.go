package natsengine

import (
	"github.com/nats-io/nats.go"

	"example.org/doorway/engine"
)

// Links returns links over a connection. Frames to the inbox of a member of the lock "orders" are
// published to subjects doorway.orders.<member>.
//
// Links of one connection may be used for any number of locks. The caller closes the connection, after
// Leave.
func Links(nc *nats.Conn) engine.Links { return links{nc} }

type links struct{ nc *nats.Conn }

func subject(inbox string) string { return "doorway." + escaped(inbox) }

func (l links) Listen(inbox string, f func(frame []byte)) (stop func(), err error) {
	sub, err := l.nc.Subscribe(subject(inbox), func(m *nats.Msg) { f(m.Data) })
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

func (l links) Send(inbox string, frame []byte) error { return l.nc.Publish(subject(inbox), frame) }
