//go:build !doorway_explore

package dekker

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
)

// Without the tag doorway_explore, no property can be checked.
func TestPropertiesNeedTheTag(t *testing.T) {
	_, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return New() }, Processes: 2})
	assert.ErrorIs(t, err, explore.ErrBuild)
}
