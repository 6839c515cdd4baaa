package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
)

// plays is in the environment of a process which is this test binary and plays
// another program, so that tests have one without building it: doorway; the go
// command, if that is its name; or the other build of doorway, which it is
// already or which it plays.
const plays = "DOORWAY_TEST_PLAYS"

func TestMain(m *testing.M) {
	// The go command sees which files a test reads, but not those of another module, as the library
	// is. So .ci/run sets this variable, which the result depends on, to a sum of all files.
	_ = os.Getenv("DOORWAY_TREE")
	if err := os.Unsetenv("COLUMNS"); err != nil { // on which output depends
		panic(err)
	}
	switch _, playing := os.LookupEnv(plays); {
	case playing && filepath.Base(os.Args[0]) == "go":
		os.Exit(playGo())
	case playing && os.Getenv(mark) != "" && !watches():
		os.Exit(playCheck())
	case playing:
		main()
	}
	os.Exit(m.Run())
}

// soon is far longer than what is waited for takes. A test that fails leaves no
// process that goes on for longer than twice that.
const soon = time.Minute

// playGo is a go build, which makes this test binary the program that is built.
// Where the environment has an address, it says there that it runs, and goes on
// until it is interrupted.
func playGo() int {
	ctx, stop := context.WithTimeout(context.Background(), 2*soon)
	defer stop()
	ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if address := os.Getenv(plays); address != "" {
		c, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer func() { _ = c.Close() }()
		<-ctx.Done()
		return 1
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, os.Args[slices.Index(os.Args, "-o")+1])
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// playCheck is a check that never ends.
func playCheck() int {
	ctx, stop := context.WithTimeout(context.Background(), 2*soon)
	defer stop()
	ctx, stop = attached(ctx)
	defer stop()
	fmt.Println("checking")
	<-ctx.Done()
	return status(ctx.Err(), os.Stderr)
}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	page.Golden(t, filepath.Join("testdata", name), "go run ./internal/explored ./cmd/doorway -update", got)
}

// doorway runs a command line, and returns its exit status and output.
func doorway(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

// shows runs a command line, asserts its exit status and parts of what it prints, however they
// are wrapped, and returns what it prints to standard output.
func shows(t *testing.T, line string, want int, parts ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := doorway(strings.Fields(line)...)
	assert.Equal(t, want, status, "the exit status of doorway %s: %s", line, stderr)
	text := strings.Join(strings.Fields(stdout+"\n"+stderr), " ")
	for _, part := range parts {
		assert.Contains(t, text, strings.Join(strings.Fields(part), " "), "doorway %s", line)
	}
	return stdout
}

// inOneBuild skips a test in the build with the tag doorway_explore, in which it does the
// same.
func inOneBuild(t *testing.T) {
	t.Helper()
	if watches() {
		t.Skip("runs in the build without the tag")
	}
}

// withWrong skips a test in a build that lacks the wrong variants. In the one that has them
// all tests of this package run.
func withWrong(t *testing.T) {
	t.Helper()
	if !catalog.Variants {
		t.Skip("runs in the build with the wrong variants: go run ./internal/explored")
	}
}

// slow is the line that tells of a build that takes long.
var slow = regexp.MustCompile(`(?m)^doorway: building .*\n`)

// session runs the command lines of text, and returns what the terminal shows, which fits it.
func session(t *testing.T, text string) string {
	t.Helper()
	var got strings.Builder
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ doorway"); ok {
			status, stdout, stderr := doorway(strings.Fields(command)...)
			stderr = slow.ReplaceAllString(stderr, "")
			fits(t, line, stdout+stderr)
			fmt.Fprintf(&got, "%s%s%sexit status %d\n\n", line, stdout, stderr, status)
		}
	}
	return got.String()
}

// fits asserts that text takes at most 80 columns. The steps of a
// counterexample, which show the source, take more.
func fits(t *testing.T, name, text string) {
	t.Helper()
	steps := false
	for line := range strings.Lines(text) {
		steps = strings.HasPrefix(line, "step ") || strings.HasPrefix(line, "  echo ") || steps && line != "\n"
		if !steps {
			assert.LessOrEqual(t, widest(line), columns, "%s: columns of %q", name, line)
		}
		assert.NotContains(t, line, "\t", "%s", name)
	}
}

// unwrapped joins the lines into which an error was wrapped.
func unwrapped(text string) string { return strings.ReplaceAll(text, "\n  ", " ") }

func widest(text string) (w int) {
	for line := range strings.Lines(text) {
		w = max(w, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
	}
	return w
}
