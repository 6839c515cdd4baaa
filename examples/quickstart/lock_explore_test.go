//go:build doorway_explore

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// New stands for the constructor of a reader's own lock.
func New(int) mutex.Mutex { return peterson.New() }

func TestLock(t *testing.T) {
	report, err := explore.Check(explore.Config{New: New, Processes: 2})
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, report.MutualExclusion.Status, report.MutualExclusion.Trace)
	assert.Equal(t, explore.Holds, report.StarvationFree.Status, report.StarvationFree.Trace)
}
