// Package pure has many constructs, all of which a node may have.
package pure

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
)

var names = []string{"idle", "asking"}

var squares [4]int

func init() {
	for k := range squares {
		squares[k] = k * k
	}
}

type node struct {
	neighbours map[messaging.ID]bool // never ranged over
	Queue      requests.Queue
	Notes      []int
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if !n.neighbours[from] {
		panic(fmt.Sprintf("%s: %v", names[0], m))
	}
	for _, r := range slices.Backward(n.Queue) {
		out.Send(r.ID, m)
	}
	for k := range n.Notes {
		names := n.Notes
		names[k] = squares[k%4]
	}
	out.After(2*time.Second, m)
}
