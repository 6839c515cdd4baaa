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
