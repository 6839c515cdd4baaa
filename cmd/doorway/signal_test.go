//go:build unix && !doorway_explore

package main

import (
	"bufio"
	"cmp"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// signalled are the signals that a doorway check is sent alone, as kill does, and
// its exit status then.
var signalled = map[syscall.Signal]int{
	syscall.SIGINT:  130,
	syscall.SIGTERM: 130,
	syscall.SIGHUP:  130,
	syscall.SIGKILL: -1, // which a program cannot heed
}

// A handing is a process that is doorway check in a build that cannot explore.
type handing struct {
	*exec.Cmd
	output *bufio.Reader // of it and of the build that it hands on to: it ends when both have
	temp   string
}

// startCheck starts doorway check, in the working directory, with the go command in dir, or, if
// that is empty, the real one.
func startCheck(t *testing.T, dir, waitsAt string, args ...string) handing {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	require.NoError(t, r.SetReadDeadline(time.Now().Add(soon)))
	h := handing{exec.CommandContext(t.Context(), self, append([]string{"check"}, args...)...), bufio.NewReader(r), t.TempDir()}
	h.Stdout, h.Stderr = w, w
	h.Env = append(os.Environ(), plays+"="+waitsAt, "TMPDIR="+h.temp, "GORACE=atexit_sleep_ms=0")
	if dir != "" {
		h.Env = append(h.Env, "PATH="+dir)
	}
	// A signal that is notIgnored here is not ignored there, as it is if these tests
	// run under nohup.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	require.NoError(t, h.Start())
	require.NoError(t, w.Close())
	return h
}

// end sends the signal, and returns all that is printed from now on, until both
// programs have ended, and the exit status of the first.
func (h handing) end(t *testing.T, s syscall.Signal) (output string, status int) {
	t.Helper()
	require.NoError(t, h.Process.Signal(s))
	rest, err := io.ReadAll(h.output)
	require.NoError(t, err, "%v: the other build goes on", s)
	_ = h.Wait() // it returns the exit status as an error
	return string(rest), h.ProcessState.ExitCode()
}

// leaves asserts that no file is left, once a go command that lists packages for the
// other build has ended, for which that does not wait.
func (h handing) leaves(t *testing.T, s syscall.Signal) {
	t.Helper()
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		left, err := os.ReadDir(h.temp)
		require.NoError(t, err)
		assert.Empty(t, left, "left after %v", s)
	}, soon, 10*time.Millisecond)
}

// playedGo returns a directory with a go command that this test binary plays.
func playedGo(t *testing.T) (dir string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "go")))
	return dir
}

// Whatever ends doorway check ends the other build too, and nothing is left.
func TestCheckSignalled(t *testing.T) {
	dir := ""
	if !tier.Full {
		dir = playedGo(t)
	}
	endedBySignals(t, dir, "", "all", "-long")
}

// Whatever ends the check of a lock of one's own ends the program that checks it too.
func TestOwnLockSignalled(t *testing.T) {
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	endedBySignals(t, "", "endless\n", "./pair.NewEndless")
}

// endedBySignals starts a check with those arguments for each signal, which it sends after the
// check has printed a line: first, if that is not empty.
func endedBySignals(t *testing.T, dir, first string, args ...string) {
	t.Helper()
	for s, want := range signalled {
		t.Run(s.String(), func(t *testing.T) {
			h := startCheck(t, dir, "", args...)
			line, err := h.output.ReadString('\n')
			if slow.MatchString(line) {
				line, err = h.output.ReadString('\n')
			}
			require.NoError(t, err, "the check does not begin")
			require.Equal(t, cmp.Or(first, line), line)
			output, status := h.end(t, s)
			assert.Equal(t, want, status, "exit status")
			if s != syscall.SIGKILL || first == "" { // the program of a lock of one's own says nothing itself
				assert.Regexp(t, `(?s)(\A|\n)doorway: interrupted\n\z`, output)
			}
			if s != syscall.SIGKILL { // it may come before the program that runs is removed
				h.leaves(t, s)
			}
		})
	}
}

// The same while the other build is made.
func TestCheckSignalledWhileBuilding(t *testing.T) {
	for s, want := range signalled {
		if s == syscall.SIGKILL {
			continue // the go command ends when it is done
		}
		t.Run(s.String(), func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = l.Close() }()
			require.NoError(t, l.(*net.TCPListener).SetDeadline(time.Now().Add(soon)))
			h := startCheck(t, playedGo(t), l.Addr().String(), "all", "-long")
			c, err := l.Accept()
			require.NoError(t, err, "the go command does not begin")
			defer func() { _ = c.Close() }()
			output, status := h.end(t, s)
			assert.Equal(t, want, status, "exit status")
			assert.Regexp(t, "^(doorway: building .*\n)?doorway: interrupted\n$", output) // it says what it builds if that takes long
			h.leaves(t, s)
			require.NoError(t, c.SetReadDeadline(time.Now().Add(soon)))
			_, err = c.Read(make([]byte, 1))
			assert.ErrorIs(t, err, io.EOF, "the go command goes on")
		})
	}
}

// A signal that is ignored, as nohup has it, goes on being ignored.
func TestHeeded(t *testing.T) {
	hangup := func(s os.Signal) bool { return s == syscall.SIGHUP }
	assert.Equal(t, []os.Signal{syscall.SIGTERM}, notIgnored(hangup))
}
