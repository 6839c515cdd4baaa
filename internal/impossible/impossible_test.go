package impossible_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/impossible"
	"example.org/doorway/messaging"
)

// The queue of a token for node 1 of 4 has other nodes, each once.
func TestQueue(t *testing.T) {
	for _, q := range [][]messaging.ID{nil, {0}, {3, 0, 2}} {
		assert.Empty(t, impossible.Queue(q, 1, 4), "%v", q)
	}
	for _, q := range [][]messaging.ID{{1}, {0, 1}, {-1}, {4}, {2, 2}, {0, 3, 0}} {
		assert.Equal(t, "Q is not a queue of other nodes, each once", impossible.Queue(q, 1, 4), "%v", q)
	}
}
