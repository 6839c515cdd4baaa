// Package impure has one of each construct that a node must not have.
package impure

import (
	"fmt"
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
