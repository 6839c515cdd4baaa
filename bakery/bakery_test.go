package bakery

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/register"
)

func TestLargest(t *testing.T) {
	for n := range 12 {
		for at := range n {
			ticket := make([]register.Word, n)
			for j := range ticket {
				ticket[j].Set(uint64(j))
			}
			ticket[at].Set(100)
			assert.Equal(t, uint64(100), largest(ticket), "the largest of %d tickets, at %d", n, at)
		}
	}
}
