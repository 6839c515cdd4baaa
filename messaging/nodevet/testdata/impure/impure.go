// Package impure has one of each construct that a node must not have.
package impure

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
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
	inbox   chan messaging.Message
	due     clock.Duration
	act     func()
	count   func(k int)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	go n.run()
	for j := range n.waiting {
		out.Send(j, m)
	}
	for range n.inbox {
	}
	n.inbox <- m
	fmt.Println(<-n.inbox)
	select {}
}

func (n *node) run() {
	count++
	(table.of)[1] = 2
	pointer(&count)
	for count = range 3 {
	}
	out(n.waiting)
	out(rand.IntN(3), os.Args, slices.Collect(maps.Keys(n.waiting)))
	wait := clock.After
	out(clock.Now().Add(n.due), wait, fmt.Errorf("%d", 1))
}

func first[M ~map[K]V, K comparable, V any](m M) (k K) {
	for k = range m {
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
	mark    = func(k int) { flags[k] = true }
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
	delete(known, 1)
	clear(known)
	copy(flags, flags[1:])
	all := flags
	all[0] = current.has(1)
	current.addAll(nil)
	next, _ := iter.Pull(seq)
	calls, local := 0, 0
	count := func() { local++ }
	count()
	slices.SortFunc([]int{1, 2}, func(a, b int) int { local++; return a - b })
	apply(func() { local++ })
	keep(func() { calls++ })
	n.act = func() { calls = local }
	return func() int { calls++; k, _ := next(); return k + len(flags) }
}

func apply(f func()) { f() }
func keep(f func()) {
	kept = append(kept, f)
}

func inspect(out messaging.Out) string {
	if _, ok := out.(interface{ Phase() int }); ok {
		return fmt.Sprint(out)
	}
	send(out)
	return fmt.Sprintf("%T", any(out))
}

func send(out messaging.Out) { out.Send(0, nil) }

type adder interface{ add(k int) }

var (
	hidden adder = &set{}
	nested       = struct{ of *set }{&set{}}
	many         = []*set{{}}
)

func more(n *node) {
	hidden.add(1)
	add := current.add
	add(2)
	of := nested
	of.of.bits = 1
	for _, one := range many {
		one.bits = 1
	}
	n.count = (&set{}).add
	local := set{}
	each([]int{1}, local.add)
}

func each(ks []int, f func(k int)) {
	for _, k := range ks {
		f(k)
	}
}
