package constructor_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/own/constructor"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

func TestConstructors(t *testing.T) {
	for name, c := range map[string]struct {
		constructor any
		makes       string
	}{
		"mutex":            {func(n int) mutex.Mutex { return bakery.New(n) }, "a lock"},
		"lock":             {bakery.New, "a lock"},
		"lock.of.two":      {peterson.New, "a lock"},
		"node":             {ricartagrawala.New, "nodes"},
		"algorithm":        {func() messaging.Algorithm { return ricartagrawala.New }, "nodes"},
		"algorithm.of.n":   {func(int) messaging.Algorithm { return ricartagrawala.New }, "nodes"},
		"unnamed":          {func() func(messaging.Start) messaging.Node { return ricartagrawala.New }, "nodes"},
		"no.lock":          {func(int) *sync.Mutex { return nil }, ""},
		"two.results":      {func(n int) (mutex.Mutex, error) { return bakery.New(n), nil }, ""},
		"two.parameters":   {func(_, n int) mutex.Mutex { return bakery.New(n) }, ""},
		"variadic":         {func(...int) mutex.Mutex { return nil }, ""},
		"no.function":      {7, ""},
		"nil.function":     {(func(int) mutex.Mutex)(nil), ""},
		"wrong.parameter":  {func(string) mutex.Mutex { return nil }, ""},
		"start.of.no.node": {func(messaging.Start) int { return 0 }, ""},
	} {
		m, err := constructor.Of(name, c.constructor)
		switch c.makes {
		case "a lock":
			assert.Equal(t, 2, m.Lock(2).Processes(), name)
		case "nodes":
			assert.NotNil(t, m.Nodes(2)(messaging.Start{Nodes: 2}), name)
		default:
			assert.ErrorContains(t, err, name+" ", name)
			assert.ErrorContains(t, err, ": a constructor is a func", name)
		}
	}
	m, err := constructor.Of("nothing", func(int) mutex.Mutex { return nil })
	assert.NoError(t, err)
	assert.Nil(t, m.Lock(2))
}
