package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"example.org/doorway/explore"
)

// Locks can be explored only if registers can be observed, which would cost every
// other use too much. So doorway check has the go command build doorway again, with
// the tag doorway_explore, and runs its command line in that build.

// watches reports whether this build is the one that can explore.
func watches() bool {
	_, err := explore.Check(explore.Config{})
	return !errors.Is(err, explore.ErrBuild)
}

// attached returns a context that is done when the program that started this one in
// its place, if any, ends or interrupts it.
func attached(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if os.Getenv(mark) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes but its end
			cancel()
		}()
	}
	return ctx, cancel
}

// mark is in the environment of the other build, so that it does not build a third.
const mark = "DOORWAY_BUILT_WITH_EXPLORE"

// exited is the exit status of the other build, which has printed the reason.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// notIgnored returns the signals that end a program, except those that are ignored.
// Under nohup that is SIGHUP, and the program must go on.
func notIgnored(ignored func(os.Signal) bool) []os.Signal {
	return slices.DeleteFunc(slices.Clone(endings), ignored)
}

// handOn runs the command line in a build with the tag doorway_explore, and removes
// that build before it returns. If this program is killed, the other build ends too,
// and its file is gone as soon as it runs.
func handOn(ctx context.Context, s streams) error {
	if os.Getenv(mark) != "" {
		return errors.New("the build with the tag doorway_explore cannot explore either")
	}
	ctx, stop := signal.NotifyContext(ctx, notIgnored(signal.Ignored)...) // which would end this program alone
	defer stop()
	goTool, err := exec.LookPath("go")
	if err != nil {
		return errors.New("to check a lock, doorway must be built again with the tag doorway_explore: there is no go command in PATH")
	}
	dir, err := source(ctx, goTool, thisFile())
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "doorway")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // what is left there does no harm
	program := filepath.Join(temp, "doorway.exe")
	p := newProgress(s.err)
	p.show("building doorway with the tag doorway_explore")
	err = build(ctx, goTool, dir, program)
	p.clear()
	if err != nil {
		return err
	}
	return pass(ctx, s, program, func() {
		_ = os.RemoveAll(temp) // now, where a running program can be: a killed process has no time to
	})
}

// build builds the program in dir, for this machine. It needs no workspace, and keeps
// the paths of the source, since traces show its lines. The temporary files of an
// interrupted go command are beside the program, and are removed with it.
func build(ctx context.Context, goTool, dir, program string) error {
	cmd := exec.CommandContext(ctx, goTool, "build", "-tags=doorway_explore", "-trimpath=false", "-buildvcs=false", "-o", program, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off", "GOTMPDIR="+filepath.Dir(program), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("go build -tags doorway_explore in %s: %w\n%s", dir, err, out)
	}
	return nil
}

// patience is how long an interrupted program may take to end.
const patience = 5 * time.Second

// pass runs program in place of this one, with its streams and arguments, until it
// ends or is interrupted. It calls started once the program runs. The standard input
// of the program is a pipe, whose end tells it to end: this program closes the pipe,
// or has itself ended, for whatever reason.
func pass(ctx context.Context, s streams, program string, started func()) error {
	cmd := exec.CommandContext(ctx, program, s.args...)
	cmd.Stdout, cmd.Stderr = s.out, s.err
	cmd.Env = append(os.Environ(), mark+"=1")
	life, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Cancel = life.Close
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		return err
	}
	started()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch ended := errors.As(err, &exit); {
	case ended && exit.Exited():
		return exited(exit.ExitCode())
	case ctx.Err() != nil:
		return ctx.Err()
	case ended && exit.String() == "signal: broken pipe":
		return exited(1) // the reader has stopped, as head does
	}
	return err
}
