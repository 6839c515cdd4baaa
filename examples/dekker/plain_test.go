//go:build !doorway_explore

package dekker

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
)

// The properties are checked by go test -tags doorway_explore, and by no other build.
func TestPropertiesNeedTheTag(t *testing.T) {
	_, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return New() }, Processes: 2})
	assert.ErrorIs(t, err, explore.ErrBuild)
}
