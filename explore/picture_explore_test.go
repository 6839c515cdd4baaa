//go:build doorway_explore

package explore_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/mutex"
)

// The pictures of the documentation are what the checker finds today:
//
//	go run ./cmd/doorway check peterson/turn-first -svg docs/counterexample.svg
func TestCounterexamplePictures(t *testing.T) {
	for _, c := range []struct {
		file, lock string
		n          int
		cap        uint64
	}{
		{"counterexample", "peterson/turn-first", 2, 0},
		{"locks/leaf-first", "tournament/leaf-first", 3, 0},
		{"locks/want-first", "lamportfast/want-first", 2, 0},
		{"locks/starvation", "lamportfast", 2, 0},
		{"locks/late-number", "bakery/late-number", 2, 4},
		{"locks/wrong-maximum", "bakery/maxpos", 3, 2},
	} {
		lock, ok := catalog.Find(c.lock)
		require.True(t, ok, c.lock)
		report, err := explore.Check(explore.Config{New: func(n int) mutex.Mutex { return lock.New(n) }, Processes: c.n, Cap: c.cap})
		require.NoError(t, err, c.lock)
		failures := report.Failures()
		require.NotEmpty(t, failures, c.lock)
		failures[0].Lock = c.lock
		var picture bytes.Buffer
		require.NoError(t, failures[0].WriteSVG(&picture))
		page.Golden(t, "../docs/"+c.file+".svg", "go generate ./internal/draw/spacetime", picture.String())
	}
}
