package sim_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

var update = flag.Bool("update", false, "have the files expect what their runs show")

// Where the scenarios of the repository are.
const files = "../../examples/scenarios/*.txt"

func paths(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		tb.Fatalf("%s: no files, %v", files, err)
	}
	return paths
}

func read(t *testing.T, path string) *sim.Scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := sim.ReadScenario(filepath.Base(path), bytes.NewReader(text))
	require.NoError(t, err)
	return s
}

// wrong recognizes the file of a wrong variant.
var wrong = regexp.MustCompile(`(?m)^algorithm \S+/`)

//go:generate go test . -run Files$ -update

// Every file shows what it expects: what the lectures say of their examples. To have it expect
// what it shows:
//
//	go test ./messaging/sim -update
func TestFiles(t *testing.T) {
	for _, path := range paths(t) {
		if s := read(t, path); !wrong.MatchString(s.Directives) {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { shows(t, path, s) })
		}
	}
}

// shows runs a file, and compares what it shows with what it expects, and the counts with those of
// the report.
func shows(t *testing.T, path string, s *sim.Scenario) {
	t.Helper()
	var output strings.Builder
	report, err := s.Run(&output, lookupFor(s))
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(s.Directives+"----\n"+output.String()), 0o644))
		return
	}
	assert.Equal(t, s.Expected, output.String())
	if strings.Contains(s.Directives, " from ") || !strings.Contains(s.Expected, " messages") {
		return
	}
	assert.Contains(t, s.Expected, fmt.Sprintf("%d messages", report.Messages))
	for kind, sent := range report.Kinds {
		assert.Contains(t, s.Expected, fmt.Sprintf("%d %s", sent, kind))
	}
}

// lookup knows the algorithms of the library.
var lookup = catalog.Scenario

// lookupFor knows what is right of their results, too, and their messages, for inputs.
func lookupFor(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		if system, is := internal.FindSystem(setting.Algorithm); is {
			s.Kinds, s.Results = system.Kinds, system.Results
		}
		return lookup(setting)
	}
}
