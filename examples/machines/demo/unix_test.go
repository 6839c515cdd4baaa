//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On Ctrl-C, a member of another machine leaves. The process with the server tells its verdict, and ends its children.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	here := run(t, "-listen", "127.0.0.1:0", "-lease", "1s")
	arguments := strings.Fields(here.await(t, `(-join .*)$`)[1])
	pids := children(t, here)
	there := run(t, arguments...)
	there.await(t, "entered")
	require.NoError(t, there.Process.Signal(os.Interrupt))
	there.await(t, "left in")
	require.NoError(t, there.Wait())

	there = run(t, arguments...)
	there.await(t, "entered")
	require.NoError(t, here.Process.Signal(os.Interrupt))
	here.await(t, "All promises were kept.")
	require.NoError(t, here.Wait())
	gone(t, pids)
	there.await(t, "^machines: the process with the NATS server has ended")
}

// Interrupted before its end it is no success: by Ctrl-C, when the program that has built it ends, or when a child does.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		interrupt func(r *running, input io.Closer, child int) error
		want      string
	}{
		"signal":   {func(r *running, _ io.Closer, _ int) error { return r.Process.Signal(os.Interrupt) }, "interrupted: "},
		"launcher": {func(_ *running, input io.Closer, _ int) error { return input.Close() }, "interrupted: "},
		"child":    {func(_ *running, _ io.Closer, child int) error { return syscall.Kill(child, syscall.SIGKILL) }, "process . has ended: signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &running{Cmd: program(t)}
			r.Env = append(r.Env, launched+"=1")
			input, err := r.StdinPipe()
			require.NoError(t, err)
			r.begin(t)
			pids := children(t, r)
			require.NoError(t, c.interrupt(r, input, pids[0]))
			r.await(t, "^machines: "+c.want)
			require.Error(t, r.Wait())
			gone(t, pids)
		})
	}
}

// When the process is killed, its children end, even one that is stopped.
func TestKilled(t *testing.T) {
	t.Parallel()
	here := run(t, "-lease", "500ms")
	pids := children(t, here)
	if withParent != nil {
		here.await(t, "B +was stopped")
	}
	require.NoError(t, here.Process.Kill())
	gone(t, pids)
}

// children returns the process IDs of the three children.
func children(t *testing.T, r *running) (pids []int) {
	t.Helper()
	for range 3 {
		pid, err := strconv.Atoi(r.await(t, `joined in .*; pid (\d+)`)[1])
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}

// gone waits until the processes have ended.
func gone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		assert.Eventually(t, func() bool {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			zombie := bytes.Contains(stat, []byte(") Z ")) // in a container it may stay one
			return zombie || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		}, 5*time.Second, 10*time.Millisecond, "%d", pid)
	}
}
