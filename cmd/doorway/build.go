package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/catalog/variant/overlay"
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

// notIgnored returns the signals that end a program, except those that are ignored.
// Under nohup that is SIGHUP, and the program must go on.
func notIgnored(ignored func(os.Signal) bool) []os.Signal {
	return slices.DeleteFunc(slices.Clone(endings), ignored)
}

// handOn runs the command line in a build with the patches, and removes
// that build before it returns. If this program is killed, the other build ends too,
// and its file is gone as soon as it runs. If that is because an algorithm is wrong, the build
// can explore only if this one can. Patched says that the build is of no use without the patches.
func handOn(ctx context.Context, s streams, wrong *catalog.LackingError, patched bool) error {
	why, tags := "to check a lock, doorway must be built again with the tag doorway_explore", overlay.Tags
	if wrong != nil {
		why = wrong.Name + " is a patch of the source of doorway, which must be built again with it"
		if !watches() {
			tags = overlay.Tag
		}
	}
	switch {
	case os.Getenv(mark) == "":
	case wrong != nil:
		return wrong
	default:
		return errors.New("the build with the tag doorway_explore cannot explore either")
	}
	return temporarily(ctx, why, func(ctx context.Context, goTool, temp string) error {
		dir, err := directory(ctx, goTool, thisFile(), self)
		if err != nil {
			return fmt.Errorf("%s%w", why, err)
		}
		program := filepath.Join(temp, "doorway.exe")
		err = building(s, "doorway with the tags "+tags, func() error { return rebuild(ctx, goTool, dir, program, tags, patched) })
		if err != nil {
			return err
		}
		return pass(ctx, s, program, func() {
			_ = os.RemoveAll(temp) // now, where a running program can be: a killed process has no time to
		})
	})
}

// building calls f, which builds what a terminal shows meanwhile. Where there is none a line says so, if
// it takes long, as the first build on a machine does.
func building(s streams, what string, f func() error) error {
	p, ended := newProgress(s.err), make(chan error, 1)
	p.show("building %s", what)
	defer p.clear()
	go func() { ended <- f() }()
	if p.terminal == nil {
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			tell(s.err, "doorway: building "+what)
		}
	}
	return <-ended
}

// temporarily calls f with the go command and a directory that it removes at the end,
// also if a signal ends this program: that ends the context of f. Why says what the go
// command is for.
func temporarily(ctx context.Context, why string, f func(ctx context.Context, goTool, temp string) error) error {
	ctx, stop := signal.NotifyContext(ctx, notIgnored(signal.Ignored)...) // which would end this program alone
	defer stop()
	goTool, err := goCommand(why)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "doorway")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // what is left there does no harm
	return f(ctx, goTool, temp)
}

func goCommand(why string) (path string, err error) {
	path, err = exec.LookPath("go")
	if err != nil {
		return "", errors.New(why + ": there is no go command in PATH")
	}
	return path, nil
}

// rebuild builds this program, whose source is in dir, with the patches, for this machine. If they do not apply, since an
// algorithm was changed, it is built without them, unless it must have them.
func rebuild(ctx context.Context, goTool, dir, program, tags string, patched bool) error {
	dir, root, err := whole(ctx, goTool, dir)
	if err != nil {
		return err
	}
	flags, err := patchedBy(root, tags, patched)
	if err != nil {
		return err
	}
	out, err := compile(ctx, goTool, dir, program, here, append(flags, ".")...)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("go build %s . in %s: %w\n%s", strings.Join(flags, " "), dir, err, out)
	}
	return err
}

// patchedBy returns the flags of a build with the patches; see rebuild.
func patchedBy(root, tags string, patched bool) (flags []string, err error) {
	patches, err := overlay.Write(root)
	switch {
	case err == nil:
		return []string{"-tags=" + tags, "-overlay=" + patches}, nil
	case errors.Is(err, variant.ErrChanged) && !patched:
		return []string{tagged}, nil
	}
	return nil, err
}

const (
	tagged   = "-tags=doorway_explore"
	readOnly = "-mod=readonly" // go.mod stays as it is
)

// A machine is what a program is built for.
type machine struct{ system, architecture string }

var (
	here      = machine{runtime.GOOS, runtime.GOARCH}
	inBrowser = machine{"js", "wasm"}
)

// compile has the go command build a program, in dir
// without a workspace; in the working directory, if dir is empty, with one. It keeps
// the paths of the source, since traces show its lines, and leaves out what debuggers need,
// which takes half of the time to link. The temporary files of an
// interrupted go command are beside the program, and are removed with it.
func compile(ctx context.Context, goTool, dir, program string, on machine, args ...string) ([]byte, error) {
	args = append([]string{"build", "-trimpath=false", "-buildvcs=false", "-ldflags=-s -w", "-o", program}, args...)
	cmd := exec.CommandContext(ctx, goTool, args...)
	cmd.Env = append(os.Environ(), "GOTMPDIR="+filepath.Dir(program), "GOOS="+on.system, "GOARCH="+on.architecture)
	if dir != "" {
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "PWD="+dir, "GOWORK=off")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// patience is how long an interrupted program may take to end, and a build without a word.
const patience = 5 * time.Second

// startTied starts a program whose standard input is a pipe, whose end tells it to
// end: this program closes the pipe, when the context of cmd is done, or has itself
// ended, for whatever reason.
func startTied(cmd *exec.Cmd) (life io.WriteCloser, err error) {
	life, err = cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel = life.Close
	cmd.WaitDelay = patience
	return life, cmd.Start()
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

const self = "example.org/doorway/cmd/doorway" // the import path of this program

// thisFile is the path of this file when it was compiled; with -trimpath it is not
// absolute.
func thisFile() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// directory returns the directory of a package: that of file, if the
// file is still there, and otherwise where the go command finds it from the working
// directory.
func directory(ctx context.Context, goTool, file, pkg string) (string, error) {
	if filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(file), nil
		}
	}
	cmd := exec.CommandContext(ctx, goTool, "list", "-find", "-f", "{{.Dir}}", pkg)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		return dir, nil
	}
	return "", errors.New(", and its source is not where it was built: run it in a checkout, or in a module that has it as a tool")
}

// whole returns the directory of this program, whose source is in dir, and that of the
// library. If they are not one checkout, they are made one in the user's cache, as the go command
// overlays nothing in the cache of modules.
func whole(ctx context.Context, goTool, dir string) (program, root string, err error) {
	if root := filepath.Dir(filepath.Dir(dir)); isLibrary(root) {
		return dir, root, nil
	}
	library, err := directory(ctx, goTool, overlay.File(), "example.org/doorway/internal/catalog/variant/overlay")
	if err != nil {
		return "", "", err
	}
	library = filepath.Join(library, "..", "..", "..", "..")
	cache, err := overlay.Dir(dir + "\x00" + library)
	if err != nil {
		return "", "", err
	}
	root = filepath.Join(cache, "doorway")
	program = filepath.Join(root, "cmd", "doorway")
	if isLibrary(root) { // a version of a module never changes
		return program, root, nil
	}
	err = os.MkdirAll(cache, 0o777)
	temp, noTemp := os.MkdirTemp(cache, "copy")
	if err := cmp.Or(err, noTemp); err != nil {
		return "", "", err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	within := filepath.Join(temp, "cmd", "doorway")
	// The files of a copy may be changed. In the library, there may be another version of the program.
	if err := errors.Join(os.CopyFS(temp, os.DirFS(library)), os.RemoveAll(within), os.CopyFS(within, os.DirFS(dir))); err != nil {
		return "", "", err
	}
	edit := exec.CommandContext(ctx, goTool, "mod", "edit", "-replace=example.org/doorway=../..", filepath.Join(within, "go.mod"))
	if out, err := edit.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%q: %w\n%s", edit.Args, err, out)
	}
	if err := os.Rename(temp, root); err != nil && !isLibrary(root) { // another program may have been faster
		return "", "", err
	}
	return program, root, nil
}

// isLibrary reports whether a directory is that of the library.
func isLibrary(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module example.org/doorway\n")
}
