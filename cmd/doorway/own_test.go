//go:build !doorway_explore

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// inOwnModule makes the module testdata/own elsewhere, which requires doorway if it
// should, goes there, and returns the directory that it comes from. It asserts in the end that
// nothing was written to it, nor left in the directory for temporary files. What is built there,
// in the full proof, is built from the sources too.
func inOwnModule(t *testing.T, requires bool) (from string) {
	t.Helper()
	t.Setenv("GOWORK", "off") // a user's module is in no workspace of ours
	if tier.Full {
		readSources(t)
	}
	from, err := os.Getwd()
	require.NoError(t, err)
	root := filepath.Dir(filepath.Dir(from))
	dir, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "own"))))
	mod := "module example.com/own\n\ngo 1.25.0\n"
	if requires {
		mod += "\nrequire example.org/doorway v0.0.0 // indirect\n\nreplace example.org/doorway => " + root + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
	t.Chdir(dir)
	t.Setenv("TMPDIR", temp)
	t.Setenv("GOFLAGS", "-mod=mod") // by which the go command would take the comment out of go.mod
	t.Setenv("GOPROXY", "off")
	before := tree(t, dir)
	t.Cleanup(func() {
		assert.Equal(t, before, tree(t, dir), "the module")
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		assert.Empty(t, left, "temporary files")
	})
	return from
}

// tree returns the files under dir with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, files := map[string]string{}, os.DirFS(dir)
	require.NoError(t, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = fs.ReadFile(files, name)
			all[name] = string(text)
		}
		return err
	}))
	return all
}

func TestOwnLockNamed(t *testing.T) {
	for operand, want := range map[string]constructor{
		"./mylock.New": {"./mylock", "New"}, "../a.b/c.New": {"../a.b/c", "New"}, ".New": {".", "New"}, "./.New": {"./", "New"},
		"mylock.New": {"mylock", "New"}, "example.com/a/b.New": {"example.com/a/b", "New"}, "gopkg.in/a.v2.New": {"gopkg.in/a.v2", "New"},
		"./mylock": {pattern: "./mylock"}, "..": {pattern: ".."}, "./mylock.": {pattern: "./mylock."}, "example.com/a": {pattern: "example.com/a"},
	} {
		c, is := ownLock(operand)
		assert.True(t, is, operand)
		assert.Equal(t, want, c, operand)
	}
	for _, c := range subjects(right, wrong, leaving) {
		_, is := ownLock(c.Name)
		assert.False(t, is, c.Name)
	}
}

// An outcome is what a command line says, and its exit status.
type outcome struct {
	line   string
	status int
	says   string
}

// A mistake that shows before the go command builds anything.
func TestOwnLockMistaken(t *testing.T) {
	inOwnModule(t, true)
	for _, c := range []outcome{
		{"./pair", 2, "doorway check: ./pair names no constructor: the operand is a package, a dot and a function, such as ./mylock.New\n"},
		{"./pair.Newer", 1, "doorway: ./pair has no function Newer: did you mean New?\n"},
		{"./pair.Lock", 1, "doorway: ./pair has no function Lock: its constructors are New, NewLock, NewPair, NewNil, NewPanic, NewNamed, NewHalf and NewEndless\n"},
		{"./pair.newLock", 1, "doorway: newLock of ./pair is not exported: the check imports the package\n"},
		{"./pair.NewOf", 1, "doorway: NewOf of ./pair has type parameters: name a function without, that calls it\n"},
		{"./program.New", 1, "doorway: ./program is a program, which cannot be imported: move the lock to a package of its own\n"},
		{"./pears.New", 1, "doorway: there is no package ./pears to check a lock of: "},
		{"example.com/other.New", 1, "doorway: there is no package example.com/other to check a lock of: "},
		{"./....New", 1, "doorway: ./... is 10 packages, not one\n"},
	} {
		assert.Empty(t, shows(t, "check "+c.line, c.status, c.says), c.line)
	}
	for _, c := range []outcome{
		{"trace ./rounds.Newer", 1, "doorway: ./rounds has no function Newer: did you mean New?\n"},
		{"stress ./pair.Newer", 1, "doorway: ./pair has no function Newer: did you mean New?\n"},
		{"costs ./rounds.New", 2, "doorway costs: ./rounds.New is not of doorway list: doorway check and doorway stress take what is your own, doorway trace shows a run of a protocol, and sim.Run counts its messages in a test\n"},
		{"list ./rounds.New", 2, "doorway list: ./rounds.New is not of doorway list: doorway check and doorway stress take what is your own\n"},
		{"check ./pair.New -long", 2, "-long is for all"},
		{"check ./pair.New -doorway x", 2, "-doorway is for a lock as it is written, not for ./pair.New"},
	} {
		assert.Empty(t, shows(t, c.line, c.status, c.says), c.line)
	}
}

func TestOwnLockWithoutDoorway(t *testing.T) {
	inOwnModule(t, false)
	status, stdout, stderr := doorway("check", "./pair.New")
	assert.Equal(t, 1, status)
	assert.Empty(t, stdout)
	assert.Regexp(t, `^doorway: the module of the working directory does not require example\.org/doorway, .*: go get example\.org/doorway adds it, or, .*\n$`, unwrapped(stderr))
	require.NoError(t, os.Rename("go.mod", "gone.mod"))
	_, _, stderr = doorway("check", "./pair.New")
	assert.Equal(t, "doorway: ./pair is in no module: run go mod init there first, and require example.org/doorway (exit status 1)\n", unwrapped(stderr))
	require.NoError(t, os.Rename("gone.mod", "go.mod"))
}

// Its report is that of any other lock, without words about promises.
func TestOwnLock(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	for _, args := range [][]string{
		{"./pair.New"},
		{"./pair.NewLock"},
		{"./pair.NewPair"},
		{"example.com/own/pair.NewPair", "-n", "2"},
	} {
		status, stdout, stderr := doorway(append([]string{"check"}, args...)...)
		assert.Equal(t, 0, status, "%q: %s", args, stderr)
		assert.Contains(t, stdout, "(example.com/own/pair)\nchecked                   every interleaving of 2 processes\n")
		assert.Contains(t, stdout, "\nFIFO                      holds\nbypass bound              holds: 1\nrace-free                 holds\n")
		assert.Contains(t, stdout, " keeps every lock's promise in every run of 2 processes.\n")
		assert.NotContains(t, stdout, "may print")
		assert.Equal(t, args[0] == "./pair.New", strings.Contains(stderr, "a constructor may print\n"), "%q: %s", args, stderr)
	}
	shows(t, "check ./pair.NewPair -give-up", 0, "which may give up at any await", "starvation-free despite aborts holds")
}

// A counterexample is shown, in text, in JSON and in a picture.
func TestOwnLockRefuted(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	from := inOwnModule(t, true)
	picture := filepath.Join(t.TempDir(), "wrong.svg")
	shown := shows(t, "check ./internal/wrong.New -n 3 -svg "+picture, 1)
	drawn(t, picture, "processes 0 and 1 are inside")
	var v verdict
	require.NoError(t, json.Unmarshal([]byte(shows(t, "check ./internal/wrong.New -json", 1)), &v))
	assert.True(t, v.Violated)
	p := v.Checks[0].Properties[0]
	assert.Equal(t, explore.Fails, p.Status)
	require.NotNil(t, p.Trace)
	assert.Len(t, p.Trace.Steps, 6)

	t.Chdir(from)
	golden(t, "own-refuted.txt", took.ReplaceAllString(strings.ReplaceAll(shown, picture, "wrong.svg"), "${1}…"))
}

// What is wrong with a lock's package or its constructor takes one sentence, and the
// lines of the compiler.
func TestOwnLockRefused(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	const signatures = ": a constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where T is a lock; " +
		"of a protocol it is a func(messaging.Start) messaging.Node, or returns a messaging.Algorithm, for n nodes or any number\n"
	for _, c := range []outcome{
		{"./untyped.New", 1, "doorway: ./untyped does not compile with the tag doorway_explore:\n# example.com/own/untyped\nuntyped/lock.go:6:38: cannot use n (variable of type int) as mutex.Mutex value in return statement: int does not implement mutex.Mutex (missing method Lock)\n"},
		{"./pair.NewNamed", 1, "doorway: pair.NewNamed is a func(string) *pair.Lock" + signatures},
		{"./pair.NewHalf", 1, "doorway: pair.NewHalf returns a *pair.Half, which has no Unlock(int)" + signatures},
		{"./pair.NewNil", 1, "doorway: pair.NewNil returns nil\n"},
		{"./pair.NewPanic", 1, "doorway: pair.NewPanic panics: no lock today\n"},
		{"./pair.NewPair -n 3", 2, "doorway check: -n 3: pair.NewPair makes a lock for 2\n"},
		{"./internal/wrong.New -give-up", 2, "doorway check: -give-up: wrong.New makes a *wrong.lock, which has no TryLock(int) bool and LockContext(context.Context, int) error\n"},
		{"./panics.New", 1, "panic: no memory left\n"},
		{"./exits.New", 1, "doorway: exits.New: its package ended the program before the check did: exit status 0\n"},
		{"example.org/doorway/bakery.New -n 4 -memory 1 -numbers 9", 1, " exceed the memory limit of 1 MiB; -memory allows more\n"},
		{"example.org/doorway/bakery.New", 2, "its values grow: bound them with -numbers\n"},
		{"./rounds.NewApart -numbers 2", 2, "doorway check: -numbers is for a lock, and rounds.NewApart makes a protocol\n"},
		{"./rounds.New -n 3 -rounds 1,1", 2, "doorway check: -rounds 1,1: it is for 2 nodes, and -n for 3\n"},
		{"./pair.New -rounds 2", 2, "doorway check: -rounds is for a protocol, and pair.New makes a lock\n"},
		{"./internal/wrong.New -mixed", 2, "doorway check: -mixed: wrong.New makes a *wrong.lock, which has no TryLock(int) bool and LockContext(context.Context, int) error\n"},
	} {
		assert.Empty(t, shows(t, "check "+c.line, c.status, c.says), c.line)
	}
	_, _, stderr := doorway("check", "./panics.New")
	assert.Regexp(t, `\ndoorway: panics\.New: its package ended the program before the check did: exit status 2\n$`, unwrapped(stderr))
}

// A counterexample as a test passes on the lock that has the fault, and on no other.
func TestOwnLockReplayed(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	for _, c := range []struct{ dir, line, old, new, mended string }{
		{
			"internal/wrong", "./internal/wrong.New -n 3", "return v == 0", "return v == 2",
			"the lock does not run by this schedule any more: explore: step 2, which is 0: process 0 awaits",
		},
		{"stuck", "./stuck.New", "return v == 0", "return v == 1", "the schedule ends without a fault: is it mended?"},
		{"mixed", "./mixed.New -mixed", "taken(p, &l.tried)", "taken(p, &l.locked)", "the schedule ends without a fault: is it mended?"},
	} {
		file := filepath.Join(c.dir, "counterexample_test.go")
		shows(t, "check -test "+file+" "+c.line, 1, file+" replays it: go test -tags doorway_explore.")
		test := func() string {
			out, _ := exec.CommandContext(t.Context(), "go", "test", "-mod=readonly", "-tags", "doorway_explore", "./"+c.dir).CombinedOutput()
			return string(out)
		}
		assert.Regexp(t, `^ok `, test())

		source := filepath.Join(c.dir, "lock.go")
		text := page.Read(t, source)
		mended := strings.ReplaceAll(text, c.old, c.new)
		require.NotEqual(t, text, mended)
		require.NoError(t, os.WriteFile(source, []byte(mended), 0o666))
		assert.Contains(t, test(), c.mended)
		require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
		require.NoError(t, os.Remove(file))
	}
	shows(t, "check ./pair.NewPair -test none_test.go", 0,
		"doorway check: no schedule ends with two processes inside, or in a deadlock: none_test.go is not written")
}

// A protocol of one's own is checked in its module.
func TestOwnProtocol(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	stdout := shows(t, "check ./rounds.New", 1, "two nodes are inside: S1 and S2 line event 1 S1 asks ")
	assert.Regexp(t, `give sim\.ReadScenario:\n\n  version 1; nodes 3; algorithm rounds; rules [0-9a-f]+; run a0\.a1\.d1\.d2\n$`, stdout)
	picture := filepath.Join(t.TempDir(), "apart.svg")
	shows(t, "check ./rounds.NewApart -crashes 1 -svg "+picture, 1, "apart.svg shows it: deadlock: ")
	drawn(t, picture, ">rounds.NewApart, 3 nodes<", ">WANT<", ">crashes<", ">still waits<", "WANT from S2 to S1")
	shows(t, "trace ./rounds.New", 0, "0 S3 sends WANT to S1", "fails at 2: two nodes are inside: S2, S3")
	shows(t, "trace ./pair.NewPair", 2, "doorway trace: pair.NewPair makes a lock, and what has a run to trace is a protocol: doorway check takes both")
	shows(t, "check ./rounds.NewApart -rounds 2", 0, "rounds.NewApart keeps every protocol's promise in every such run of 3 nodes; whether a node can starve is not decided.")
}

// A lock and a protocol of one's own are stressed in their module: registers are watched only if that is asked for.
func TestOwnStressed(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	for _, c := range []outcome{
		{"./pair.NewPair -give-up 0.5", 0, " gave up "},
		{"./pair.New -goroutines 5 -n 2 -shared", 0, "5 goroutines sharing 2 processes"},
		{"./internal/wrong.New -delay 0.3", 1, "8 goroutines of 8 processes"},
		{"./rounds.NewIntervals -n 4 -section 10us", 0, "4 goroutines of 4 processes"},
		{"./rounds.New", 1, "VIOLATED"},
	} {
		says := shows(t, "stress "+c.line+" -time 100ms", c.status, c.says)
		assert.Equal(t, c.status == 0, strings.Contains(says, "no violation, no lost update"), c.line)
	}
	assert.Empty(t, shows(t, "stress ./pair.NewPair -n 3", 2, "doorway stress: -n 3: pair.NewPair makes a lock for 2\n"))
	assert.Empty(t, shows(t, "stress ./rounds.New -give-up 2", 2, "doorway stress: "))
}
