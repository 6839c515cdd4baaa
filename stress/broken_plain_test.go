//go:build !race && !doorway_explore

package stress

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
)

// Without delays, one of the broken locks is found by chance soon: Peterson's with
// turn written first, within some hundred thousand entries. tournament/leaf-first and
// bakery/late-number, of three processes, show within some million; the windows of
// the others are a few instructions wide, and open only if a thread is preempted
// there. That is what delays are for.
func TestBrokenByChance(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	a, ok := catalog.Find("peterson/turn-first")
	require.True(t, ok)
	entries := uint64(0)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		r, err := Run(a.New(2), Config{Entries: 2000, Section: runtime.Gosched, Watchdog: time.Second, UntilViolation: true})
		entries += r.Entries
		if r.Violations > 0 {
			t.Logf("entry %d: %v", entries, r.Err())
			return
		}
		if err != nil {
			t.Log(err)
		}
	}
	t.Errorf("no violation in %d entries, though %s", entries, a.Broken.Why)
}

// All are found in the build with delays, where the long stress of the correct locks
// has delays too.
func TestBrokenWithDelays(t *testing.T) {
	tier.NeedsFull(t, "builds this package with delays")
	// The test cache must know that the child depends on these, which this
	// build does not have.
	files, err := filepath.Glob(filepath.Join("..", "register", "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range append(files, "broken_test.go") {
		_, err := os.ReadFile(f)
		require.NoError(t, err)
	}
	out, err := exec.Command("go", "test", "-tags=doorway_explore,doorway_full", "-run=^TestBroken$|^TestCatalog$|Delay", "-timeout=5m", ".").CombinedOutput()
	assert.NoError(t, err, string(out))
}
