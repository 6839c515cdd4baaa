//go:build doorway_explore

package explore_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/mutex"
)

//go:generate go test -tags doorway_explore -run CounterexamplePicture . -update

// The picture of the documentation is what the checker finds today:
//
//	go run ./cmd/doorway check peterson/turn-first -svg docs/counterexample.svg
func TestCounterexamplePicture(t *testing.T) {
	broken, ok := catalog.Find("peterson/turn-first")
	require.True(t, ok)
	report, err := explore.Check(explore.Config{New: func(n int) mutex.Mutex { return broken.New(n) }, Processes: 2})
	require.NoError(t, err)
	require.Equal(t, explore.Fails, report.MutualExclusion.Status)
	var picture bytes.Buffer
	require.NoError(t, report.MutualExclusion.Trace.WriteSVG(&picture))
	const file = "../docs/counterexample.svg"
	page.Golden(t, file, "go test -tags doorway_explore ./explore -run CounterexamplePicture -update", picture.String())
}
