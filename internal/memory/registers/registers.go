// Package registers inspects the registers of a lock from outside: the names of
// their fields, and the accesses of an entry and exit.
package registers

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.org/doorway/internal/memory/cell"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// Names returns the registers of a lock by address, each with the name of its
// field, such as number[2] or node[1].turn.
func Names(lock mutex.Mutex) map[unsafe.Pointer]string {
	found := map[unsafe.Pointer]string{}
	Walk(lock, func(v reflect.Value, name string) (deeper bool) {
		switch v.Type() {
		case reflect.TypeFor[register.Word](), reflect.TypeFor[cell.Local](), reflect.TypeFor[cell.Plain]():
			if v.CanAddr() && found[v.Addr().UnsafePointer()] == "" {
				found[v.Addr().UnsafePointer()] = name
			}
			return false
		}
		return v.Type() != reflect.TypeFor[register.Processes]() && v.Kind() != reflect.Map
	})
	return found
}

// Walk calls visit with a lock and all that it has in fields and elements or refers to, each with its name. If visit returns
// false, it goes no deeper there. It follows a pointer once.
func Walk(lock mutex.Mutex, visit func(v reflect.Value, name string) (deeper bool)) {
	seen := map[any]bool{}
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		if !v.IsValid() || !visit(v, name) {
			return
		}
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem(), name)
		case reflect.Pointer:
			if at := [2]any{v.Type(), v.Pointer()}; !seen[at] {
				seen[at] = true
				walk(v.Elem(), name)
			}
		case reflect.Struct:
			for k := range v.NumField() {
				f := v.Type().Field(k)
				inner := f.Name
				if f.Anonymous || f.Type.Kind() == reflect.Interface {
					inner = name
				} else if name != "" {
					inner = name + "." + f.Name
				}
				walk(v.Field(k), inner)
			}
		case reflect.Slice, reflect.Array:
			for k := range v.Len() {
				walk(v.Index(k), fmt.Sprintf("%s[%d]", name, k))
			}
		case reflect.Map:
			for i := v.MapRange(); i.Next(); {
				walk(i.Value(), name)
			}
		}
	}
	walk(reflect.ValueOf(lock), "")
}

// Hosting is held while a host is attached, and while locks are made for it: their
// constructors write to registers too.
var Hosting sync.Mutex

// Accesses are the cost of an uncontended entry and exit.
type Accesses struct {
	Reads, Writes int // a read-modify-write counts as both
	Registers     int // that processes access, all processes together
	Written       int // those of them that a process writes; the others are padding
	Held          int // registers in the fields of the lock, accessed or not
}

// Uncontended runs an entry and exit of each process of a new lock for n processes, one
// after the other, and returns the maximum of their accesses. It returns an error in a
// build without the tag doorway_explore, and if a process waits without contention or
// panics. It blocks while [Hosting] is held, and forever if a protocol loops or blocks
// outside of registers.
func Uncontended(newLock func(n int) mutex.Mutex, n int) (most Accesses, err error) {
	if !hook.Hosted {
		return most, errors.New("registers: this program was built without the tag doorway_explore")
	}
	Hosting.Lock()
	defer Hosting.Unlock()
	lock := newLock(n)
	c := &counter{values: map[*atomic.Uint64]uint64{}, written: map[*atomic.Uint64]bool{}}
	var ended sync.WaitGroup
	ended.Go(func() {
		defer func() {
			hook.Attach(nil)
			if e := recover(); e != nil {
				err = fmt.Errorf("registers: process %d, uncontended: %v", c.process, e)
			}
		}()
		hook.Seat()
		hook.Attach(c)
		for i := range n {
			c.process, c.made, c.reads, c.writes = i, 0, 0, 0
			lock.Lock(i)
			lock.Unlock(i)
			most.Reads, most.Writes = max(most.Reads, c.reads), max(most.Writes, c.writes)
		}
	})
	ended.Wait()
	most.Registers, most.Written, most.Held = len(c.values), len(c.written), len(Names(lock))
	return most, err
}

// maxRun is the largest number of operations of an entry and exit.
const maxRun = 5000

// A counter is a hook.Host that holds values and counts accesses.
type counter struct {
	hook.Aloof
	values        map[*atomic.Uint64]uint64
	written       map[*atomic.Uint64]bool
	process, made int // operations
	reads, writes int
}

func (c *counter) Do(op hook.Operation) uint64 {
	if c.made++; c.made > maxRun {
		panic(fmt.Sprintf("it makes more than %d operations", maxRun))
	}
	if op.Word == nil {
		return 0 // an atomic step begins or ends
	}
	v, ok := c.values[op.Word]
	if !ok {
		v = op.Word.Load()
		c.values[op.Word] = v
	}
	holds := op.Holds != nil && op.Holds(v)
	switch op.Op {
	case hook.OpLoad:
		c.reads++
		return v
	case hook.OpSet, hook.OpStore:
		c.writes++
		c.values[op.Word], c.written[op.Word] = op.Value, true
		return 0
	case hook.OpSwap, hook.OpFetchAdd:
		c.reads, c.writes = c.reads+1, c.writes+1
		c.values[op.Word], c.written[op.Word] = op.Value, true
		if op.Op == hook.OpFetchAdd {
			c.values[op.Word] += v
		}
		return v
	case hook.OpCompareAndSwap:
		c.reads, c.writes = c.reads+1, c.writes+1
		c.written[op.Word] = true
		if v != op.Old {
			return 0
		}
		c.values[op.Word] = op.Value
		return 1
	}
	c.reads++
	if op.Found != nil && holds {
		*op.Found = v
	}
	if !holds && op.Op != hook.OpTestFirst && op.Op != hook.OpTry && op.Op != hook.OpTryValue {
		panic("it waits")
	}
	if !holds {
		return 0
	}
	return 1
}
