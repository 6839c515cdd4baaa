package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
)

func TestFind(t *testing.T) {
	for _, a := range catalog.Algorithms {
		found, ok := catalog.Find(a.Name)
		assert.True(t, ok, a.Name)
		assert.Equal(t, a.Import, found.Import, a.Name)
		for n, want := range map[int]bool{-1: false, 0: false, 1: true, 2: true, 3: a.Max == 0} {
			assert.Equal(t, want, a.For(n), "%s is for %d processes", a.Name, n)
		}
	}
	_, ok := catalog.Find("nothing")
	assert.False(t, ok, "found a lock named nothing")
}

// A lock declares the order that is claimed, and verified; see mutex.Share.
func TestDeclaredOrder(t *testing.T) {
	for _, a := range catalog.Algorithms {
		declares, ok := a.New(2).(interface{ FIFO() bool })
		assert.Equal(t, a.Claims.FIFO, ok && declares.FIFO(), a.Name)
	}
}
