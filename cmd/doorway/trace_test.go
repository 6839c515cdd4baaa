package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
)

// The trial of a system is traced as a scenario.
func TestTraceOfSystem(t *testing.T) {
	status, stdout, stderr := doorway("trace", "changroberts", "-n", "2")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "gets HOLD from its user")
	assert.Contains(t, stdout, "S1 emits ELECTED(S2,Term:0)")
	status, _, stderr = doorway("trace", "changroberts", "-entries", "2")
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "-entries is for a lock, and changroberts is none")
}

// Every system that is listed can be traced, also one whose nodes are locks.
func TestTraceOfAllSystems(t *testing.T) {
	for _, system := range catalog.Systems {
		status, _, stderr := doorway("trace", system.Name)
		assert.Equal(t, 0, status, "%s: %s", system.Name, stderr)
	}
	_, stdout, _ := doorway("trace", "snapshot-suzukikasami")
	assert.Contains(t, stdout, "S2 enters")
}

// A scenario is traced whatever it is told to show, and whatever it expects.
func TestTraceScenario(t *testing.T) {
	file := sceneFile(t, "scene.txt", goodScene+"----\nS2 waits\n")
	status, stdout, stderr := doorway("trace", file)
	assert.Equal(t, 0, status, stderr)
	const shown = "0       S2 asks\n0       S2 sends REQUEST(1,S2) to S1\n1       S1 gets REQUEST(1,S2) from S2\n"
	assert.True(t, strings.HasPrefix(stdout, shown), stdout)

	input(t, goodScene)
	status, again, stderr := doorway("trace", "-")
	assert.Equal(t, 0, status, stderr)
	assert.Equal(t, stdout, again)

	input(t, "nodes 0")
	status, _, stderr = doorway("trace", "-")
	assert.Equal(t, 1, status)
	assert.Equal(t, "doorway: standard input:1: expected a whole number, 1 to 1000, found \"0\"\n", stderr)
}

// A picture goes to a file, or to standard output.
func TestTraceSVG(t *testing.T) {
	scene := sceneFile(t, "scene.txt", goodScene)
	status, stdout, stderr := doorway("trace", scene, "-svg", "-")
	require.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "<title>scene: central</title>")
	require.NoError(t, xml.Unmarshal([]byte(stdout), new(any)), "the picture is not well-formed")

	file := filepath.Join(t.TempDir(), "scene.svg")
	status, nothing, stderr := doorway("trace", "-svg", file, scene)
	require.Equal(t, 0, status, stderr)
	assert.Empty(t, nothing)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, stdout, string(written))

	status, stdout, stderr = doorway("trace", "sanders/printed", "-n", "2", "-svg", "-")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, ">fails at 1: deadlock: a request is pending and no")

	status, stdout, stderr = doorway("trace", "central", "-from", "100", "-svg", "-")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, ">None of the 21 events is at 100 T or later.<")

	status, _, stderr = doorway("trace", "-svg", filepath.Join(t.TempDir(), "nowhere", "scene.svg"), scene)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "no such file")
}
