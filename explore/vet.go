package explore

import (
	"reflect"
	"runtime"
	"sync"

	"example.org/doorway/explore/internal/contract"
	"example.org/doorway/mutex"
)

// vetted caches results by the type of the lock.
var vetted sync.Map

type examined struct {
	ok  bool
	err error
}

// vet examines the source of a lock for breaches of the contract, and reports
// whether the source was found.
func vet(lock mutex.Mutex) (bool, error) {
	t := reflect.TypeOf(lock)
	m, ok := t.MethodByName("Lock")
	if !ok {
		return false, nil
	}
	pc := m.Func.Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	at := t
	if e, ok := vetted.Load(at); ok {
		e := e.(examined)
		return e.ok, e.err
	}
	breaches, err := contract.Check(file, t.Name())
	e := examined{ok: err == nil}
	if len(breaches) > 0 {
		b := breaches[0]
		e.err = &LockError{File: b.File, Line: b.Line, What: b.Func + ": " + b.What}
	}
	vetted.Store(at, e)
	return e.ok, e.err
}
