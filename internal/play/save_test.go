package play

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/sim"
)

// A saved scenario is one for doorway run, which expects what it comes to.
func TestSaveScenario(t *testing.T) {
	for _, text := range []string{
		"nodes 3; algorithm ricartagrawala; run a0.a1.d2",
		"opening suzukikasami", // before the end of the run, where a latency has had no effect
		"opening lamport-unordered",
		"opening bully",
		"nodes 3; algorithm central; at 0 S1 asks # ; and so on\n at 1 S2 asks",
	} {
		p := Open(text)
		require.Empty(t, p.View(0).Refused)
		name, file, err := p.Save("scenario")
		require.NoError(t, err, text)
		assert.Equal(t, ".txt", filepath.Ext(name))
		s, err := sim.ReadScenario(name, strings.NewReader(file))
		require.NoError(t, err, file)
		var b strings.Builder
		_, err = s.Run(&b, lookup(s))
		require.NoError(t, err)
		assert.Equal(t, s.Expected, b.String())
		again := Open(file)
		assert.Equal(t, p.View(0).Events, again.View(0).Events, "dropped on the page, the file opens the same run")
		_, resaved, err := again.Save("scenario")
		require.NoError(t, err, file)
		assert.Equal(t, file, resaved)
	}
}

func TestSaveSVG(t *testing.T) {
	name, file, err := Open("opening lamport-unordered").Save("svg")
	require.NoError(t, err)
	assert.Equal(t, "lamport_unordered.svg", name)
	assert.Contains(t, file, "Lamport without FIFO links")
}

// What cannot be saved is refused in a sentence.
func TestNotSaved(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("closed", func(s messaging.Start) messaging.Node { return central.New(s) }))
	for _, c := range []struct{ text, as, want string }{
		{"opening central", "png", `a run is saved as a scenario, test or svg, not as "png"`},
		{"opening changroberts", "test", "package catalog makes no test of changroberts: save the run as a scenario, which doorway run takes"},
		{"nodes 2; algorithm closed; run a0", "test", "the constructor of closed is no function of a package, which a test could call"},
	} {
		_, _, err := Open(c.text).Save(c.as)
		assert.EqualError(t, err, c.want)
	}
}

// saved checks that a run is saved as a Go test that is formatted, compiles and passes.
func saved(t *testing.T, text string) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("a browser has no go command")
	}
	p := Open(text)
	require.Empty(t, p.View(0).Refused)
	name, file, err := p.Save("test")
	require.NoError(t, err)
	formatted, err := format.Source([]byte(file))
	require.NoError(t, err)
	assert.Equal(t, string(formatted), file)

	// The test is in a package of this module, whose directory has other files.
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(file), 0o666))
	here, err := os.Getwd()
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "testdata", name): path}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o666))
	cmd := exec.Command("go", "test", "-vet=off", "-tags=doorway_explore", "-overlay="+filepath.Join(dir, "overlay"), "-v", "./testdata")
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", file, out)
	assert.Contains(t, string(out), "--- PASS: TestRun")
}

func TestLiteral(t *testing.T) {
	assert.Equal(t, "`S1 emits a`", literal("S1 emits a"))
	assert.Equal(t, "`S1 emits ` + \"`\" + `a`", literal("S1 emits `a"))
}

func TestSaveNodesTest(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("mine.New", central.New))
	saved(t, "opening lamport-unordered")
	saved(t, "nodes 3; algorithm ricartagrawala; run a0.a1.d2.x1")
	saved(t, "nodes 3; algorithm mine.New; run a0.a1.d1")
	saved(t, "opening recovery-suzukikasami; nodes 3; algorithm recovery-suzukikasami; detect 1; at 0 S1 asks; at 3 S1 crashes; at 4 S2 asks; run s9")
	saved(t, "nodes 3; algorithm maekawa; run a0.a1.a2.s3")
}
