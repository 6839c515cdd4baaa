package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
)

// A lock declares the order that is claimed, and verified; see mutex.Share.
func TestDeclaredOrder(t *testing.T) {
	for _, a := range catalog.Algorithms {
		declares, ok := a.New(2).(interface{ FIFO() bool })
		assert.Equal(t, a.Claims.FIFO, ok && declares.FIFO(), a.Name)
	}
}
