package own

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/play"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// TestConstructors: the command checks what the page plays. This package repeats how the page tells constructors apart,
// since its source is built in other modules, which cannot import that.
func TestConstructors(t *testing.T) {
	for name, c := range map[string]struct {
		constructor any
		taken       bool
	}{
		"mutex":            {func(n int) mutex.Mutex { return bakery.New(n) }, true},
		"lock":             {bakery.New, true},
		"lock.of.two":      {peterson.New, true},
		"node":             {ricartagrawala.New, true},
		"algorithm":        {func() messaging.Algorithm { return ricartagrawala.New }, true},
		"algorithm.of.n":   {func(int) messaging.Algorithm { return ricartagrawala.New }, true},
		"unnamed":          {func() func(messaging.Start) messaging.Node { return nil }, true},
		"no.lock":          {func(int) *sync.Mutex { return nil }, false},
		"two.results":      {func(n int) (mutex.Mutex, error) { return bakery.New(n), nil }, false},
		"two.parameters":   {func(_, n int) mutex.Mutex { return bakery.New(n) }, false},
		"variadic":         {func(...int) mutex.Mutex { return nil }, false},
		"no.function":      {7, false},
		"wrong.parameter":  {func(string) mutex.Mutex { return nil }, false},
		"start.of.no.node": {func(messaging.Start) int { return 0 }, false},
	} {
		f := reflect.ValueOf(c.constructor)
		_, ofNodes := protocol(f)
		_, err := checker{name: name, constructor: f}.adapted()
		assert.Equal(t, c.taken, ofNodes || err == nil, name)
		assert.Equal(t, c.taken, play.Add(name, c.constructor) == nil, name)
	}
}
