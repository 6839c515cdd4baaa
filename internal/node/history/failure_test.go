package history_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/loopback"
)

// A node that has another number within a layer, such as one of an epoch of recovery, is named as in the run.
func TestEndlessNamesTheNodeOfTheEvent(t *testing.T) {
	err := history.Panicked(2, "S3 asks", loopback.Endless(1))
	require.ErrorIs(t, err, history.Endless)
	assert.ErrorContains(t, err, "S3 has sent more than 10000 messages to itself in one event")
}
