//go:build !doorway_explore

package explore_test

import (
	"errors"
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// Without the tag there is no verdict.
func TestBuild(t *testing.T) {
	r, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Processes: 2})
	if r != nil || !errors.Is(err, explore.ErrBuild) {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := explore.Alone(func(int) mutex.Mutex { return peterson.New() }, 2); !errors.Is(err, explore.ErrBuild) {
		t.Error(err)
	}
}
