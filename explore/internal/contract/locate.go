package contract

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// located has the directories of packages, by import path.
var located sync.Map

// Locate returns the path of a file of a package, given the path that the compiler
// recorded. If that does not exist, because the program was built elsewhere or with
// -trimpath, it is the file of that name in the package that the go command finds from
// the working directory.
func Locate(file, importPath string) (string, error) {
	if filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	if importPath == "main" { // its path is known from the file only: module@version/directory
		module, rest, _ := strings.Cut(path.Dir(file), "@")
		_, below, _ := strings.Cut(rest, "/")
		importPath = path.Join(module, below)
	}
	if strings.HasSuffix(file, "_test.go") {
		importPath = strings.TrimSuffix(importPath, "_test")
	}
	dir, err := directory(importPath)
	if err != nil {
		return "", fmt.Errorf("%s does not exist here, and %w", file, err)
	}
	found := filepath.Join(dir, path.Base(filepath.ToSlash(file)))
	if _, err := os.Stat(found); err != nil {
		return "", err
	}
	return found, nil
}

// directory returns the directory of a package.
func directory(importPath string) (string, error) {
	if dir, ok := located.Load(importPath); ok {
		return dir.(string), nil
	}
	_, settings := built()
	cmd := exec.Command("go", append([]string{"list", "-find", "-f", "{{.Dir}}"}, append(settings, "--", importPath)...)...)
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("the go command, which could locate it, is not in PATH: %w", err)
	case err != nil || dir == "":
		return "", fmt.Errorf("the go command does not find package %s from the working directory", importPath)
	}
	located.Store(importPath, dir)
	return dir, nil
}
