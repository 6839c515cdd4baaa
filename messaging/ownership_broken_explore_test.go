//go:build doorway_explore

package messaging_test

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// The exploration finds a failing run for each broken variant of the source.
func TestBrokenVariantsGoWrong(t *testing.T) {
	tier.NeedsFull(t, "compiles each of the variants")
	variants.Check(t, "ownership_scenarios_explore_test.go", variants.Read(t, "testdata/broken.diff"))
}
