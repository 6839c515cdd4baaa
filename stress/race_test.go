//go:build race

package stress

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

// An unordered lock excludes but hides how from the race detector, to which Unlock
// is synchronized with nothing. A lock that relies on the hardware and not on the
// memory model would look the same. It does access registers, so delays apply: each
// process has its own.
type unordered struct {
	plain
	own []register.Word
}

func (u *unordered) Lock(i int) {
	runtime.RaceDisable()
	u.plain.Lock(i)
	runtime.RaceEnable()
	u.own[i].Load()
}

func (u *unordered) Unlock(i int) {
	u.own[i].Load()
	runtime.RaceDisable()
	u.plain.Unlock(i)
	runtime.RaceEnable()
}

const child = "DOORWAY_STRESS_CHILD"

// The harness does not hide the fault of such a lock: its atomic operations order
// the middles of critical sections, not the end of one and the beginning of the
// next. A child process runs it, because a reported race fails a test.
func TestMissingOrderIsReported(t *testing.T) {
	for name, c := range map[string]Config{
		"plain":   {Entries: 2000, Section: runtime.Gosched},
		"delayed": {Entries: 500, Delay: 0.3},
	} {
		if os.Getenv(child) == name {
			_, err := Run(&unordered{plain{n: 4}, make([]register.Word, 4)}, c)
			require.NoError(t, err)
			return
		}
		if os.Getenv(child) != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestMissingOrderIsReported$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), child+"="+name)
			out, err := cmd.CombinedOutput()
			assert.Error(t, err, "no race is reported\n%s", out)
			assert.Contains(t, string(out), "DATA RACE")
			assert.Contains(t, string(out), "(*guarded).", "the race is not on guarded data")
		})
	}
}
