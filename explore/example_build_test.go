//go:build !doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// Without the tag there is no verdict.
func TestBuild(t *testing.T) {
	r, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2})
	assert.Nil(t, r)
	assert.ErrorIs(t, err, explore.ErrBuild)
}

// A test that needs the tag skips where it is missing.
func Example_build() {
	_, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2})
	fmt.Println(errors.Is(err, explore.ErrBuild))
	// Output: true
}
