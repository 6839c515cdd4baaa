package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// self is the import path of this program.
const self = "example.org/doorway/cmd/doorway"

// thisFile is the path of this file when it was compiled; with -trimpath it is not
// absolute.
func thisFile() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// source returns the directory of the source of this program: that of file, if the
// file is still there, and otherwise where the go command finds it from the working
// directory.
func source(ctx context.Context, goTool, file string) (string, error) {
	if filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(file), nil
		}
	}
	cmd := exec.CommandContext(ctx, goTool, "list", "-find", "-f", "{{.Dir}}", self)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		return dir, nil
	}
	return "", errors.New("to check a lock, doorway must be built again with the tag doorway_explore, and its source is not where it was built: run it in a checkout")
}
