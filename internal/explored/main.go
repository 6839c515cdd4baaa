// Command explored runs the tests that need the build of the checker: with the tag
// doorway_explore, whose locks can be explored, and with the wrong variants, which are
// patches (packages variant and overlay).
//
//	go run ./internal/explored [flag of go test ...] [package ...]
//
// Without packages it runs all such tests of the repository, each of which needs that build. With -overlay
// alone it prints the file of the overlay. It must be run in the directory of the module. The go command
// caches the results.
package main

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog/variant/overlay"
)

// whole are the packages of which all tests run, as the build of the checker has other code to
// test. Of other packages, those tests run which no other build has.
var whole = []string{
	"./cmd/doorway", "./examples/dekker", "./explore/...", "./internal/play", "./internal/proof/mutants/judge",
	"./messaging", "./mutex", "./register", "./stress",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) { // otherwise the go command has said why
			fmt.Fprintln(os.Stderr, "explored:", err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	file, err := overlay.Write(".")
	if err != nil {
		return err
	}
	if slices.Equal(args, []string{"-overlay"}) {
		fmt.Println(file)
		return nil
	}
	tags, flags, packages := split(args)
	// Vet would run in the directories of the variants, which do not exist. The overlay is in
	// the environment, as tests have the go command list what they import.
	test := func(more ...string) error {
		cmd := exec.Command("go", slices.Concat([]string{"test", "-vet=off", "-tags=" + overlay.Tags + tags}, more, flags)...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOFLAGS=%s '-overlay=%s'", os.Getenv("GOFLAGS"), file))
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	if len(packages) > 0 {
		return test(packages...)
	}
	few, names, err := tagged(".")
	if err != nil {
		return err
	}
	// The go command reports all failures of both.
	return errors.Join(
		test(whole...),
		test(append([]string{"-run=^(" + strings.Join(names, "|") + ")$"}, few...)...),
	)
}

// split returns the tags, which the go command takes only once, the other flags, and the packages, whose names begin
// with a dot.
func split(args []string) (tags string, flags, packages []string) {
	for k, arg := range args {
		switch value, is := strings.CutPrefix(strings.TrimLeft(arg, "-"), "tags="); {
		case strings.HasPrefix(arg, "-") && is:
			tags += "," + value
		case k > 0 && strings.TrimLeft(args[k-1], "-") == "tags":
			tags += "," + arg
		case strings.HasPrefix(arg, "."):
			packages = append(packages, arg)
		case strings.TrimLeft(arg, "-") != "tags":
			flags = append(flags, arg)
		}
	}
	return tags, flags, packages
}

// tagged returns the packages in directory root, other than whole ones, with tests that only the
// build of the checker has, and the names of these.
func tagged(root string) (packages, names []string, err error) {
	found, of := map[string]bool{}, map[string]bool{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		dir := "./" + filepath.ToSlash(filepath.Dir(file))
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, "_test.go") || isWhole(dir):
			return nil
		}
		if needs, err := needsBuild(file); err != nil || !needs {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range isTest.FindAllSubmatch(text, -1) {
			found[dir], of[string(m[1])] = true, true
		}
		return err
	})
	return slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(of)), err
}

// isTest finds the names of tests and examples.
var isTest = regexp.MustCompile(`(?m)^func ((?:Test|Example)\w*)\((?:t \*testing\.T)?\)`)

func isWhole(dir string) bool {
	return slices.ContainsFunc(whole, func(w string) bool {
		below, all := strings.CutSuffix(w, "/...")
		return dir == below || all && strings.HasPrefix(dir, below+"/")
	})
}

// needsBuild reports whether a file is only in the build of the checker.
func needsBuild(file string) (bool, error) {
	checker, other := build.Default, build.Default
	checker.BuildTags = []string{"doorway_explore", "doorway_variants", "doorway_full"}
	other.BuildTags = []string{"doorway_full"}
	dir, name := filepath.Split(file)
	with, err := checker.MatchFile(dir, name)
	without, failed := other.MatchFile(dir, name)
	return with && !without, errors.Join(err, failed)
}
