package paths

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// Successors returns, by node, the successor on a ring: ring[k+1] is that of ring[k], and
// ring[0] that of the last. It panics, naming the algorithm, unless ring is a permutation of 0 to
// len(ring)-1.
func Successors(algorithm string, ring []messaging.ID) []messaging.ID {
	sorted := slices.Sorted(slices.Values(ring))
	for k, id := range sorted {
		if id != messaging.ID(k) {
			panic(fmt.Sprintf("%s: the ring %d has no node %d: it must have each of 0 to %d once", algorithm, ring, k, len(ring)-1))
		}
	}
	next := make([]messaging.ID, len(ring))
	for k, id := range ring {
		next[id] = ring[(k+1)%len(ring)]
	}
	return next
}
