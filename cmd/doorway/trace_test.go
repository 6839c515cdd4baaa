package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
)

// The trial of each system that is listed is traced as a scenario, also of one whose nodes are locks.
func TestTraceOfSystems(t *testing.T) {
	shows(t, "trace changroberts -n 2", 0, "gets HOLD from its user", "S1 emits ELECTED(S2,Term:0)")
	shows(t, "trace changroberts -entries 2", 2, "-entries is for a lock, and changroberts is none")
	shows(t, "trace snapshot-suzukikasami", 0, "S2 enters")
	for _, system := range catalog.Systems {
		shows(t, "trace "+system.Name, 0)
	}
}

// A scenario is traced whatever it is told to show, and whatever it expects.
func TestTraceScenario(t *testing.T) {
	stdout := shows(t, "trace "+sceneFile(t, "scene.txt", goodScene+"----\nS2 waits\n"), 0)
	const shown = "0       S2 asks\n0       S2 sends REQUEST(1,S2) to S1\n1       S1 gets REQUEST(1,S2) from S2\n"
	assert.True(t, strings.HasPrefix(stdout, shown), stdout)
	input(t, goodScene)
	assert.Equal(t, stdout, shows(t, "trace -", 0))
	input(t, "nodes 0")
	shows(t, "trace -", 1, `doorway: standard input:1: expected a whole number, 1 to 1000, found "0"`)
}

// A picture goes to a file, or to standard output.
func TestTraceSVG(t *testing.T) {
	scene, file := sceneFile(t, "scene.txt", goodScene), filepath.Join(t.TempDir(), "scene.svg")
	stdout := shows(t, "trace -svg - "+scene, 0)
	assert.Equal(t, file+" shows scene: central, 2 nodes.\n", shows(t, "trace -svg "+file+" "+scene, 0))
	drawn(t, file, "<title>scene: central, 2 nodes</title>")
	assert.Equal(t, stdout, page.Read(t, file))
	if catalog.Variants {
		shows(t, "trace sanders/printed -n 2 -svg -", 0, ">fails at 1: deadlock: a request is pending<")
	}
	shows(t, "trace central -from 100 -svg -", 0, ">None of the 21 events is at 100 T or later.<")
	shows(t, "trace -svg "+filepath.Join(file, "nowhere.svg")+" "+scene, 1, "not a directory")
}
