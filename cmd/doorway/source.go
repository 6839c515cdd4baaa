package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"example.org/doorway/internal/variant/overlay"
)

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
	library, err := directory(ctx, goTool, overlay.File(), "example.org/doorway/internal/variant/overlay")
	if err != nil {
		return "", "", err
	}
	library = filepath.Join(library, "..", "..", "..")
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
