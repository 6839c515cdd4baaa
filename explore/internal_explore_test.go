//go:build doorway_explore

package explore

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/space"
)

// CheckUnexamined checks a lock without examining its source.
func CheckUnexamined(cfg Config) (*Report, error) {
	c, err := begin(&cfg, false)
	if err != nil {
		return nil, err
	}
	if err := c.explore(); err != nil {
		return nil, err
	}
	return c.report, nil
}

// A property that takes too much memory does not lose the verdicts on others.
func TestUnanswered(t *testing.T) {
	c := &checking{report: &Report{States: 7}}
	require.NoError(t, c.unanswered("this", &space.MemoryError{Limit: 1 << 30, States: 5}))
	assert.Len(t, c.report.Unanswered, 1)
	c.report.Unanswered = []string{"race-free: too much"}
	assert.ErrorContains(t, c.report.Err(), "deadlock-free and race-free (too much)")
	assert.Error(t, c.unanswered("this", errors.New("else")), "an error is forgotten")
}
