//go:build doorway_explore

package messaging_test

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
)

// The exploration finds a failing run for each broken variant of the source.
func TestBrokenVariantsGoWrong(t *testing.T) {
	variants.Check(t, "ownership_scenarios_explore_test.go", variants.Read(t, "testdata/broken.diff"))
}
