package anylock

import (
	"go/types"
	"slices"
	"strings"
)

// harness is what the goroutines run, beside the lock.
const harness = `package harness

import "sync"

var (
	lock    sync.Locker
	guarded int
	ways    [5]int
	many    int
)

func rest()
func choose(n int) int

func Use(rounds int) {
	for rounds != 0 {
		rest()
		lock.Lock()
		guarded = 1
		lock.Unlock()
		if rounds > 0 {
			rounds--
		}
	}
}

func Mix(rounds int) {
	for range rounds {
		rest()
		switch ways[choose(many)] {
		case 0:
			lock.Lock()
			guarded = 1
			lock.Unlock()
		case 1:
			if lock.(interface{ TryLock() bool }).TryLock() {
				guarded = 1
				lock.Unlock()
			}
		case 2:
			r := lock.(reader)
			r.RLock()
			read()
			r.RUnlock()
		case 3:
			if r := lock.(reader); lock.(interface{ TryRLock() bool }).TryRLock() {
				read()
				r.RUnlock()
			}
		case 4:
			try()
		}
	}
}

type reader interface { RLock(); RUnlock() }

func read() {
	if guarded == 2 {
		panic("")
	}
}
`

// wrapping has the errors of fmt.Errorf.
const wrapping = `package wrapping

type Error struct { text string; err error }

func New(text string, err error) error { return &Error{text, err} }

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.err }
`

// withContext and withoutContext are the way by LockContext.
const (
	withContext = `
type canceled struct {
	context.Context
	done chan struct{}
}

var ctx = canceled{context.Background(), make(chan struct{})}

func (c canceled) Done() <-chan struct{} { return c.done }

func (c canceled) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

func try() {
	if lock.(interface{ LockContext(context.Context) error }).LockContext(ctx) == nil {
		guarded = 1
		lock.Unlock()
	}
}

func Cancel() { close(ctx.done) }
`
	withoutContext = `
func try() {}

func Cancel() {}
`
)

// harnessOf returns the harness for a lock whose packages know package context, or do not.
func harnessOf(knowsContext bool) string {
	if knowsContext {
		return strings.Replace(harness, `import "sync"`, `import ("context"; "sync")`, 1) + withContext
	}
	return harness + withoutContext
}

// signatures are those of the methods by which a lock may be entered, in the order of the harness.
var signatures = [][]string{
	{"Lock func()"},
	{"TryLock func() bool"},
	{"RLock func()", "RUnlock func()"},
	{"TryRLock func() bool", "RLock func()", "RUnlock func()"},
	{"LockContext func(context.Context) error"},
}

// waysOf returns by which of these ways a lock of a type may be entered, by their numbers.
func waysOf(t types.Type) (ways []int) {
	set := types.NewMethodSet(t)
	var all []string
	for m := range set.Methods() {
		s := m.Type().(*types.Signature)
		var params, results []string
		for v := range s.Params().Variables() {
			params = append(params, v.Type().String())
		}
		for v := range s.Results().Variables() {
			results = append(results, v.Type().String())
		}
		text := m.Obj().Name() + " func(" + strings.Join(params, ", ") + ")"
		if len(results) > 0 {
			text += " " + strings.Join(results, ", ")
		}
		all = append(all, text)
	}
	for k, needed := range signatures {
		if !slices.ContainsFunc(needed, func(s string) bool { return !slices.Contains(all, s) }) {
			ways = append(ways, k)
		}
	}
	return ways
}
