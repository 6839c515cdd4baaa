//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
)

// A claim is a lock that permits barging, with another declaration.
type claim struct {
	mutex.Mutex
	fifo func() bool
}

func (c *claim) FIFO() bool { return c.fifo() }

// The report says when a lock declares an order that it does not have.
func TestDeclaredFIFO(t *testing.T) {
	check := func(fifo func() bool) (*explore.Report, error) {
		return explore.Check(explore.Config{
			New:       func(n int) mutex.Mutex { return &claim{lamportfast.New(n), fifo} },
			Processes: 2, Only: explore.Properties{FIFO: true},
		})
	}
	const remark = "declares                                      FIFO, which fails: mutex.Share relies on it"
	r, err := check(func() bool { return true })
	require.NoError(t, err)
	assert.True(t, r.DeclaresFIFO)
	assert.Contains(t, r.String(), remark)
	assert.Regexp(t, "^explore: FIFO fails, (?s:.*)\nnot checked: deadlock-free and race-free\n", r.Err())
	r, err = check(func() bool { return false })
	require.NoError(t, err)
	assert.False(t, r.DeclaresFIFO)
	assert.NotContains(t, r.String(), remark)
	_, err = check(func() bool { panic("not yet") })
	assert.EqualError(t, err, "explore: FIFO of a *explore_test.claim panics: not yet")
}
