package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/messaging/nodetest"
)

const (
	goodScene = "nodes 2\nalgorithm central\nat 0 S2 asks\nshow entries\n"
	goodShown = "S2 asks at 0, enters at 2, leaves at 3\n"
)

// sceneFile returns the path of a new file with that text.
func sceneFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

// A file that cannot be run, or comes out otherwise, is told, and those after it
// are run all the same.
func TestRunGoesOn(t *testing.T) {
	good := sceneFile(t, "good.txt", goodScene)
	other := sceneFile(t, "other.txt", goodScene+"----\n"+goodShown+"S1 waits\n")
	bad := sceneFile(t, "bad.txt", goodScene+"at 0 S3 asks\n")
	unknown := sceneFile(t, "unknown.txt", "nodes 2\nalgorithm centrel\nat 0 S2 asks\n")
	nowhere := filepath.Join(t.TempDir(), "nowhere.txt")
	status, stdout, stderr := doorway("run", nowhere, bad, other, unknown, good)
	assert.Equal(t, 1, status)
	assert.Equal(t, "== "+nowhere+"\n\n\n== "+bad+"\n\n\n== "+other+"\n\n"+goodShown+"\n== "+unknown+"\n\n\n== "+good+"\n\n"+goodShown, stdout)
	assert.Equal(t, "doorway run: open "+nowhere+": no such file or directory\n"+
		"doorway run: "+bad+":5: expected a node, S1 to S2, found \"S3\"\n"+
		"doorway run: "+other+":7: expected \"S1 waits\", found \"\" (-write accepts it)\n"+
		"doorway run: "+unknown+":2: no algorithm \"centrel\": did you mean central?\n", stderr)

	// With -json there is an object for each file, with its error.
	status, stdout, none := doorway("run", "-json", nowhere, bad, other, unknown, good)
	assert.Equal(t, 1, status)
	assert.Empty(t, none)
	told, d := "", json.NewDecoder(strings.NewReader(stdout))
	for _, file := range []string{nowhere, bad, other, unknown, good} {
		var got scene
		require.NoError(t, d.Decode(&got), file)
		assert.Equal(t, []bool{file != good, file == other}, []bool{got.Failed, got.Expected != nil}, file)
		if assert.Equal(t, file, got.File); got.Failed {
			told += "doorway run: " + got.Error + "\n"
		} else {
			assert.Equal(t, scene{File: good, Output: goodShown}, got)
		}
	}
	assert.Equal(t, stderr, told)
	shows(t, "run -json -write "+other, 0, `"written": true`)
}

// How a run fails is printed though a line of the file has no effect, which is told.
func TestRunTellsFailureFirst(t *testing.T) {
	file := sceneFile(t, "fails.txt", "nodes 2\nalgorithm roucairolcarvalho\nlose REPLY\nlatency RELEASE 5\nat 0 S2 asks\nshow entries\n")
	stdout := shows(t, "run "+file, 1, "doorway run: "+file+":4: expected messages RELEASE *->*, but none was sent before the run failed")
	assert.Equal(t, "S2 asks at 0, still waits\n\nfails at 1: deadlock: a request is pending and no message is in transit: S2\n", stdout)
}

// input has the program read text as its standard input.
func input(t *testing.T, text string) {
	t.Helper()
	f, err := os.Open(sceneFile(t, "input", text))
	require.NoError(t, err)
	standard := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = standard
		assert.NoError(t, f.Close())
	})
}

func TestRunStandardInput(t *testing.T) {
	input(t, goodScene)
	assert.Equal(t, goodShown, shows(t, "run -", 0))
	input(t, goodScene+"----\nS2 waits\n")
	shows(t, "run -", 1, `doorway run: standard input:6: expected "S2 waits", found "S2 asks at 0, enters at 2, leaves at 3"`)
	input(t, "nodes 0")
	shows(t, "run -", 1, `doorway run: standard input:1: expected a whole number, 1 to 1000, found "0"`)
}

// Standard input is read before the other build runs, which cannot, also behind a scenario that needs it.
func TestRunStandardInputInTheOtherBuild(t *testing.T) {
	inOneBuild(t)
	input(t, goodScene)
	s := streams{in: new([]byte)}
	_, err := s.read(t.Context(), []string{sceneFile(t, "wrong.txt", "nodes 3\nalgorithm maekawa/late-failed\nat 0 S2 asks\n"), standardInput})
	assert.ErrorContains(t, err, "maekawa/late-failed is wrong on purpose")
	assert.Equal(t, goodScene, string(*s.in))
}

// An interrupt ends the command at once, whatever it is at: here it reads.
func TestRunInterrupted(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	standard := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = standard }()
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- status(dispatch(ctx, []string{"run", "-"}, streams{out: &output{Writer: &stdout}, err: &stderr}), &stderr)
	}()
	_, err = io.WriteString(w, goodScene) // and no end
	require.NoError(t, err)
	cancel()
	assert.Equal(t, 130, <-ended)
	assert.Empty(t, stdout.String())
	assert.Equal(t, "doorway: interrupted\n", stderr.String())
	require.NoError(t, w.Close())
}

// With -write the lines of a file keep their ends, and one that expects what comes of
// it already is not written.
func TestRunWriteKeepsLineEnds(t *testing.T) {
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	for _, test := range []struct{ name, before, after string }{
		{"unix", goodScene, goodScene + "----\n" + goodShown},
		{"windows", windows(goodScene), windows(goodScene + "----\n" + goodShown)},
		{"windows, expecting", windows(goodScene + "----\nS2 waits\nS1 waits\n"), windows(goodScene + "----\n" + goodShown)},
		{"byte order mark", "\ufeff" + windows(goodScene), "\ufeff" + windows(goodScene+"----\n"+goodShown)},
		{"mixed", "# one\n# two\r\n" + goodScene, "# one\n# two\r\n" + goodScene + "----\n" + goodShown},
		{"no end of the last line", strings.TrimSuffix(windows(goodScene), "\r\n"), windows(goodScene + "----\n" + goodShown)},
		{"as expected", goodScene + "----  \n" + goodShown + "\r\n \n", goodScene + "----  \n" + goodShown + "\r\n \n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := sceneFile(t, "scene.txt", test.before)
			assert.Equal(t, goodShown, shows(t, "run -write "+file, 0))
			assert.Equal(t, test.after, page.Read(t, file))
			shows(t, "run "+file, 0)
		})
	}
}

// A failure of a random schedule becomes a file by one command, and fails there.
func TestRunSave(t *testing.T) {
	withWrong(t)
	const name = "maekawa/no-deadlock-handling"
	a, err := catalog.Protocol(name, 5)
	require.NoError(t, err)
	line := ""
	for seed := uint64(0); line == ""; seed++ {
		line = nodetest.Scenario(nodetest.Run(a, nodetest.Config{Nodes: 5, Seed: seed, Name: name}))
	}
	input(t, line)
	file := filepath.Join(t.TempDir(), "deadlock.txt")
	assert.Empty(t, shows(t, "run -save "+file+" -", 0))
	stdout := shows(t, "run "+file, 0, "fails at 0: deadlock: a request is pending and no message is in transit")
	text := page.Read(t, file)
	assert.Contains(t, text, "version 1\nnodes 5\nalgorithm "+name+"\nrules ")
	assert.True(t, strings.HasSuffix(text, dashes+stdout))

	input(t, strings.Replace(line, "rules ", "rules 0", 1))
	assert.Empty(t, shows(t, "run -save "+file+" -", 1, "doorway run: standard input:1: expected rules 0"))
}
