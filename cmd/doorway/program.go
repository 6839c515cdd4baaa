package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/catalog/variant/overlay"
)

// A program is one that the go command builds.
type program struct {
	goTool  string
	temp    string            // the directory that it is built in
	dir     string            // of its module, which is in no workspace; "": the working directory
	pkg     string            // its package
	tags    []string          // that it is built with
	overlay map[string]string // files by those that they replace
	own     *ownCode          // what is one's own in it; nil: nothing
}

// explores is the tag of a build that can explore locks.
const explores = "doorway_explore"

// patch adds the wrong variants of the library in directory root; see [overlay.Files]. If they do not apply, since an
// algorithm was changed, it does without them, unless it must have them.
func (p *program) patch(root string, trimmed, must bool) error {
	variants, err := overlay.Files(root, trimmed)
	switch {
	case errors.Is(err, variant.ErrChanged) && !must:
		return nil
	case err == nil:
		p.replace(variants)
		p.tags = append(p.tags, overlay.Tag)
	}
	return err
}

// replace adds files to the overlay.
func (p *program) replace(files map[string]string) {
	if p.overlay == nil {
		p.overlay = map[string]string{}
	}
	maps.Copy(p.overlay, files)
}

func (p *program) file() string { return filepath.Join(p.temp, "doorway.exe") }

// build builds the program. It keeps
// the paths of the source, since traces show its lines, and leaves out what debuggers need,
// which takes half of the time to link. The temporary files of an
// interrupted go command are beside the program, and are removed with it.
func (p *program) build(ctx context.Context, on machine, flags ...string) error {
	replaced, err := json.Marshal(map[string]any{"Replace": p.overlay})
	file := filepath.Join(p.temp, "overlay.json")
	if err := cmp.Or(err, os.WriteFile(file, replaced, 0o600)); err != nil {
		return err
	}
	args := slices.Concat(
		[]string{"build", "-trimpath=false", "-buildvcs=false", "-mod=readonly", "-ldflags=-s -w", "-o", p.file()}, flags,
		[]string{"-tags=" + strings.Join(p.tags, ","), "-overlay=" + file, p.pkg},
	)
	cmd := exec.CommandContext(ctx, p.goTool, args...)
	cmd.Env = append(os.Environ(), "GOTMPDIR="+p.temp, "GOOS="+on.system, "GOARCH="+on.architecture)
	if p.dir != "" {
		cmd.Dir = p.dir
		cmd.Env = append(cmd.Env, "PWD="+p.dir, "GOWORK=off")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && p.own != nil:
		return p.own.broken(out, on, p.tags)
	case err != nil:
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), p.dir, err, out)
	}
	return nil
}

// A machine is what a program is built for.
type machine struct{ system, architecture string }

var (
	here      = machine{runtime.GOOS, runtime.GOARCH}
	inBrowser = machine{"js", "wasm"}
)

// patience is how long an interrupted program may take to end, and a build without a word.
const patience = 5 * time.Second

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

// temporarily calls f with a program to build, which it removes at the end,
// also if a signal ends this program: that ends the context of f. Why says what it is for.
func temporarily(ctx context.Context, why string, f func(ctx context.Context, p *program) error) error {
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
	return f(ctx, &program{goTool: goTool, temp: temp})
}

// notIgnored returns the signals that end a program, except those that are ignored.
// Under nohup that is SIGHUP, and the program must go on.
func notIgnored(ignored func(os.Signal) bool) []os.Signal {
	return slices.DeleteFunc(slices.Clone(endings), ignored)
}

func goCommand(why string) (path string, err error) {
	path, err = exec.LookPath("go")
	if err != nil {
		return "", errors.New(why + ": there is no go command in PATH")
	}
	return path, nil
}

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

// checkout returns the directories of the source of this program and of the library. If they are not one checkout, they
// are made one in the user's cache, as the go command overlays nothing in the cache of modules. Why says what they are for.
func checkout(ctx context.Context, goTool, why string) (program, root string, err error) {
	dir, err := directory(ctx, goTool, thisFile(), self)
	if err != nil {
		return "", "", fmt.Errorf("%s%w", why, err)
	}
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
