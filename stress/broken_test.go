//go:build race || doorway_explore

package stress

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDelaysTakeTurns(t *testing.T) {
	results := make(chan error)
	for k := range 3 {
		go func() {
			r, err := Run(&plain{n: 2}, Config{Entries: 200, Delay: 0.5, Seed: uint64(k)})
			if err == nil {
				err = r.Err()
			}
			results <- err
		}()
	}
	for range 3 {
		assert.NoError(t, <-results)
	}
}

// The same seed gives the same sequence, another seed another.
func TestDelaysAreSeeded(t *testing.T) {
	t.Parallel()
	a, b, c := &delay{seed: 1}, &delay{seed: 1}, &delay{seed: 2}
	same := 0
	for range 100 {
		v := a.draw()
		if v != b.draw() {
			t.Fatal("the sequence depends on more than the seed")
		}
		if v == c.draw() {
			same++
		}
	}
	assert.LessOrEqual(t, same, 1, "numbers of 100 that are those of another seed")
}
