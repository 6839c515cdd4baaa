package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
)

// Locks can be explored only if registers can be observed, which would cost every
// other use too much. And algorithms that are wrong are patches, which are in no other use.
// So doorway has the go command build doorway again, with the patches and, to explore a lock,
// the tag doorway_explore, and runs its command line in that build.

// watches reports whether this build is the one that can explore.
func watches() bool {
	_, err := explore.Check(explore.Config{})
	return !errors.Is(err, explore.ErrBuild)
}

// attached returns a context that is done when the program that started this one in
// its place ends or interrupts it.
func attached(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes but its end
		cancel()
	}()
	return ctx, cancel
}

// mark is in the environment of the other build, so that it does not build a third.
const mark = "DOORWAY_BUILT_WITH_EXPLORE"

// exited is the exit status of the other build, which has printed the reason.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// handOn runs the command line in a build with the patches, and removes
// that build before it returns. If this program is killed, the other build ends too,
// and its file is gone as soon as it runs. If that is because an algorithm is wrong, the build
// can explore only if this one can. Patched says that the build is of no use without the patches.
func handOn(ctx context.Context, s streams, wrong *catalog.LackingError, patched bool) error {
	why, tags := "to check a lock, doorway must be built again with the tag "+explores, []string{explores}
	if wrong != nil {
		why = wrong.Name + " is a patch of the source of doorway, which must be built again with it"
		if !watches() {
			tags = nil
		}
	}
	switch {
	case os.Getenv(mark) == "":
	case wrong != nil:
		return wrong
	default:
		return errors.New("the build with the tag doorway_explore cannot explore either")
	}
	return temporarily(ctx, why, func(ctx context.Context, p *program) error {
		dir, root, err := checkout(ctx, p.goTool, why)
		if err != nil {
			return err
		}
		p.dir, p.pkg, p.tags = dir, ".", tags
		if err := p.patch(root, false, patched); err != nil {
			return err
		}
		err = building(s, "doorway with the tags "+strings.Join(p.tags, ","), func() error { return p.build(ctx, here) })
		if err != nil {
			return err
		}
		return pass(ctx, s, p.file(), func() {
			_ = os.RemoveAll(p.temp) // now, where a running program can be: a killed process has no time to
		})
	})
}

// pass runs program in place of this one, with its streams and arguments, until it
// ends or is interrupted. It calls started once the program runs.
func pass(ctx context.Context, s streams, program string, started func()) error {
	cmd := exec.CommandContext(ctx, program, s.args...)
	cmd.Stdout, cmd.Stderr = s.out.Writer, s.err
	cmd.Env = append(os.Environ(), mark+"=1")
	life, err := startTied(cmd)
	if err != nil {
		return err
	}
	started()
	if err := json.NewEncoder(life).Encode(s.in); err != nil && ctx.Err() == nil {
		_ = life.Close()
	}
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
