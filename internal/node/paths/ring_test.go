package paths_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
)

// The nodes of a ring are given in their order on it, and looked up by number.
func TestSuccessors(t *testing.T) {
	assert.Equal(t, []messaging.ID{2, 0, 1}, paths.Successors("ring", []messaging.ID{0, 2, 1}))
}
