//go:build doorway_explore && doorway_variants

package play

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/peterson"
)

func TestSaveLockTest(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("mine.New", peterson.New))
	saved(t, "processes 2; lock bakery-classic; cap 4; run 0.1.0.1.0")
	saved(t, "opening starvation")
	saved(t, "processes 2; lock mine.New; run 0.0.0.1")
}

func TestSaveLock(t *testing.T) {
	p := Open("opening late-number")
	name, file, err := p.Save("svg")
	require.NoError(t, err)
	assert.Equal(t, "late_number.svg", name)
	assert.Contains(t, file, "bakery/late-number")
	assert.Contains(t, file, "<title>The bakery without its atomic step: two inside")
	for as, want := range map[string]string{
		"scenario": "a scenario has nodes that pass messages: the run of a lock can be saved as a test or a picture",
		"test":     "bakery/late-number is wrong on purpose, so no program can import it: Copy link keeps the run",
	} {
		_, _, err := p.Save(as)
		assert.EqualError(t, err, want)
	}
}
