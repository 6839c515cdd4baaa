// Package impure has one of each construct that a node must not have.
package impure

import (
	"fmt"
	"iter"
	"maps"         // a node has no use for package maps, which does more than compute
	"math/rand/v2" // a node has no use for package math/rand/v2, which does more than compute
	"os"           // a node has no use for package os, which does more than compute
	"slices"
	"sync" // a node has no use for package sync, which does more than compute
	clock "time"

	"example.org/doorway/messaging"
)

var (
	count int
	table struct{ of [4]messaging.ID }
)

type dictionary map[messaging.ID]bool

type node struct {
	lock    sync.Mutex
	waiting dictionary
	inbox   chan messaging.Message // a node has no channel
	due     clock.Duration
	act     func()
	count   func(k int)
	peek    func() []int
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	go n.run()                 // a node has no goroutine
	for j := range n.waiting { // a range over a map has another order each time
		out.Send(j, m)
	}
	for range n.inbox { // a node has no channel to range over
	}
	n.inbox <- m           // a node sends by its Out, not by a channel
	fmt.Println(<-n.inbox) // a node must not do input or output: fmt.Println is for its host // a node receives by its method Receive, not by a channel
	select {}              // a node has no channel to select
}

func (n *node) run() {
	count++               // count is shared by all nodes and must not be written
	(table.of)[1] = 2     // table is shared by all nodes and must not be written
	pointer(&count)       // count is shared by all nodes and must not be written
	for count = range 3 { // count is shared by all nodes and must not be written
	}
	out(n.waiting)
	out(rand.IntN(3), os.Args, slices.Collect(maps.Keys(n.waiting))) // Args is shared by all nodes: its memory must not be passed on, since it could be written
	wait := clock.After                                              // a node has no clock: it sets timers by its Out and must not call time.After
	out(clock.Now().Add(n.due), wait, fmt.Errorf("%d", 1))           // a node has no clock: it sets timers by its Out and must not call time.Now
}

func first[M ~map[K]V, K comparable, V any](m M) (k K) {
	for k = range m { // a range over a map has another order each time
		break
	}
	return k
}

func pointer(*int) {}

func out(...any) { first(dictionary{}) }

var (
	flags   = make([]bool, 8)
	known   = map[messaging.ID]bool{}
	current set
	kept    []func()
	mark    = func(k int) { flags[k] = true } // flags is shared by all nodes and must not be written
)

type set struct{ bits uint64 }

func (s *set) add(k int)       { s.bits |= 1 << k }
func (s *set) addAll(ks []int) { s.each(ks) }
func (s *set) each(ks []int) {
	for _, k := range ks {
		s.add(k)
	}
}
func (s *set) has(k int) bool { return s.bits&(1<<k) != 0 }

func hide(n *node, seq iter.Seq[int]) func() int {
	delete(known, 1)       // known is shared by all nodes and must not be written
	clear(known)           // known is shared by all nodes and must not be written
	copy(flags, flags[1:]) // flags is shared by all nodes and must not be written
	all := flags           // flags is shared by all nodes: its memory must not be passed on, since it could be written
	all[0] = current.has(1)
	current.addAll(nil)       // current is shared by all nodes and must not be written
	next, _ := iter.Pull(seq) // a node has no coroutine: iter.Pull keeps state that is in none of its fields
	calls, local := 0, 0
	count := func() { local++ }
	count()
	slices.SortFunc([]int{1, 2}, func(a, b int) int { local++; return a - b })
	apply(func() { local++ })
	keep(func() { calls++ })                                             // calls is written by a function that outlives it: a node has no state but its fields
	n.act = func() { calls = local }                                     // calls is written by a function that outlives it: a node has no state but its fields
	return func() int { calls++; k, _ := next(); return k + len(flags) } // calls is written by a function that outlives it: a node has no state but its fields
}

func apply(f func()) { f() }
func keep(f func()) {
	kept = append(kept, f) // kept is shared by all nodes and must not be written // kept is shared by all nodes and must not be written
}

func inspect(out messaging.Out) string {
	if _, ok := out.(interface{ Phase() int }); ok { // a node must not ask what its Out is: that differs from host to host
		return fmt.Sprint(out) // a node must not inspect its Out: what is in it differs from host to host
	}
	send(out)
	return fmt.Sprintf("%T", any(out)) // a node must not inspect its Out: what is in it differs from host to host
}

func send(out messaging.Out) { out.Send(0, nil) }

type adder interface{ add(k int) }

var (
	hidden adder = &set{}
	nested       = struct{ of *set }{&set{}}
	many         = []*set{{}}
)

func more(n *node) {
	hidden.add(1)      // hidden is shared by all nodes and must not be written
	add := current.add // current is shared by all nodes and must not be written
	add(2)
	of := nested // nested is shared by all nodes: its memory must not be passed on, since it could be written
	of.of.bits = 1
	for _, one := range many { // many is shared by all nodes: its memory must not be passed on, since it could be written
		one.bits = 1
	}
	n.count = (&set{}).add // the receiver of add is written by a function that outlives it: a node has no state but its fields
	local := set{}
	each([]int{1}, local.add)
}

func always[T any](v T) func() T { return func() T { return v } }

// conceal counts in what functions have captured.
func conceal(n *node, of adder, bits []int) {
	n.count = func(k int) { of.add(k) }     // of is written by a function that outlives it: a node has no state but its fields
	n.act = func() { slices.Reverse(bits) } // bits is written by a function that outlives it: a node has no state but its fields
	one, add := &set{}, (*set).add
	n.act = func() { add(one, 1) }         // one is written by a function that outlives it: a node has no state but its fields
	n.act = func() { _ = fmt.Sprint(one) } // one is written by a function that outlives it: a node has no state but its fields
	n.act = func() { _ = len(bits) }
	n.peek = func() []int { return bits[1:] } // the memory of bits is returned by a function that outlives it, and could be written: a node has no state but its fields
	n.peek = func() []int {
		all := func() []int { return bits }
		return slices.Clone(all())
	}
	_ = always(bits)
}

func each(ks []int, f func(k int)) {
	for _, k := range ks {
		f(k)
	}
}
