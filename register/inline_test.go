package register_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// The compiler inlines the fast paths. If it does not, a bakery alone takes half as
// long again.
func TestFastPathsAreInlined(t *testing.T) {
	tier.NeedsFull(t, "builds register with the go command")
	printed, err := exec.Command("go", "build", "-gcflags=-m", ".", "../internal/memory/cell").CombinedOutput()
	require.NoError(t, err, string(printed))
	for _, f := range []string{
		"(*Word).Load", "(*Word).Set", "(*Word).Store", "(*Word).CompareAndSwap", "(*Word).Await", "(*Word).GiveWay",
		"(*Plain).CompareAndSwap", "(*Local).Load", "(*Local).Store", "(*Local).Swap", "(*Local).CompareAndSwap",
		"(*Processes).Entry", "(*Processes).Exit", "(*Process).Inside", "Pure", "Repeat",
	} {
		assert.Regexp(t, `can inline `+strings.NewReplacer("(", `\(`, ")", `\)`, "*", `\*`, ".", `\.`).Replace(f)+`\n`, string(printed))
	}
}
