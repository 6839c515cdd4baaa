package view_test

import (
	"runtime/debug"
	"testing"

	"example.org/doorway/internal/tier"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // an exploration keeps most of what lives for long: there is little to collect
	tier.Sequential(m)
}
