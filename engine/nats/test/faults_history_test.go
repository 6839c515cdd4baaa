package test

import (
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

// A counter is a resource to which users add 1 by a read and a write. It keeps the history of these, and of the
// mutex, for a judge.
type counter struct {
	fenced bool // it refuses a token that is smaller than one before, or another guard's

	mu      sync.Mutex
	began   time.Time
	value   int
	largest messaging.Token
	guard   string // that had it
	refused int
	adds    []porcupine.Operation
	holds   []porcupine.Operation
}

func newCounter(fenced bool) *counter { return &counter{fenced: fenced, began: time.Now()} }

// now is the time of a history.
func (c *counter) now() int64 { return time.Since(c.began).Nanoseconds() }

// forever is when what a dead process has begun is over.
const forever = int64(1) << 62

// access reports whether the counter takes a token. mu is held.
func (c *counter) access(token messaging.Token, guard string) bool {
	if !c.fenced {
		return true
	}
	if token.Before(c.largest) || token == c.largest && guard != c.guard {
		c.refused++
		return false
	}
	c.largest, c.guard = token, guard
	return true
}

func (c *counter) read(token messaging.Token, guard string) (value int, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value, c.access(token, guard)
}

// write writes what was read, at a time, plus 1.
func (c *counter) write(client int, token messaging.Token, guard string, read int, at int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.access(token, guard) {
		return false
	}
	c.value = read + 1
	c.adds = append(c.adds, porcupine.Operation{ClientId: client, Call: at, Output: read, Return: c.now()})
	return true
}

// A hold is a call of Lock or Unlock, by the guard.
type hold struct {
	guard string
	locks bool
}

// held notes when a guard may have begun and ended: each between two times.
func (c *counter) held(client int, guard string, locks, locked, unlocks, unlocked int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds = append(c.holds,
		porcupine.Operation{ClientId: client, Input: hold{guard, true}, Call: locks, Return: locked},
		porcupine.Operation{ClientId: client, Input: hold{guard, false}, Call: unlocks, Return: unlocked})
}

// adding is a counter to which each user adds 1 in one step, and gets what it was before.
var adding = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, _, output any) (bool, any) { return state == output, state.(int) + 1 },
}

// excluding is a mutex: the state is the guard that has it.
var excluding = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, _ any) (bool, any) {
		h := input.(hold)
		if h.locks {
			return state == "", h.guard
		}
		return state == h.guard, ""
	},
}

// judge has the mutex judged, and returns what is said of the counter.
func (c *counter) judge(t *testing.T) porcupine.CheckResult {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%d updates, the counter is %d; %d guards; %d accesses refused", len(c.adds), c.value, len(c.holds)/2, c.refused)
	assert.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(excluding, c.holds, time.Minute), "the mutex")
	return porcupine.CheckOperationsTimeout(adding, c.adds, time.Minute)
}
