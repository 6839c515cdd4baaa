package mutex

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Leaving takes as many steps among thousands as among five. The broken links show
// it: a traversal from either end would not reach the waiter.
func TestLeavingTheListLooksAtNeighboursOnly(t *testing.T) {
	var l list
	ws := make([]waiter, 5)
	for k := range ws {
		l.push(&ws[k])
	}
	ws[0].next = nil
	ws[4].prev = nil
	assert.True(t, l.remove(&ws[2]))
	assert.Same(t, &ws[3], ws[1].next)
	assert.Same(t, &ws[1], ws[3].prev)
	assert.False(t, l.remove(&ws[2]), "it has left")
}
