// Command proofs computes what takes longest of the full proof, for each package of algorithms
// on its own:
//
//	go run ./internal/proof/run [flag of go test ...] [package ...]
//
// Without packages it does so for all. With -update it writes the golden files. For each it calls
//
//	DOORWAY_PROOF=maekawa go test -tags doorway_full -run 'TestProof/^maekawa$' ./internal/proof/run
//
// whose result the go command caches, until the program of the test or a file that the test has opened
// changes. So this package imports no algorithm, and the test opens the files on which its results depend:
// the source of the algorithm, of its imports, and of what proves it, but not of the other algorithms.
package main

import (
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.org/doorway/internal/tier"
)

const module = "example.org/doorway/"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "proofs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	all, err := algorithms(".")
	if err != nil {
		return err
	}
	var known, names []string
	for _, dir := range all {
		known = append(known, path.Base(dir))
	}
	test := []string{"test", "-tags=doorway_full", "-timeout=1h", "./internal/proof/run"}
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-"):
			test = append(test, arg)
		case slices.Contains(known, arg):
			names = append(names, arg)
		default:
			return fmt.Errorf("%q is no package of algorithms of the catalog: they are %s", arg, strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		names = known
	}
	var tests errgroup.Group
	tests.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		tests.Go(func() error {
			cmd := exec.Command("go", slices.Concat(test, []string{"-run=^TestProof$/^" + name + "$"})...)
			cmd.Env = append(os.Environ(), tier.Variable+"="+name)
			out, err := cmd.CombinedOutput()
			fmt.Printf("%-20s %s", name, out)
			return err
		})
	}
	return tests.Wait()
}

// algorithms returns the packages with a lock or a protocol of the catalog, of the module in
// directory root.
func algorithms(root string) (all []string, err error) {
	imported, err := imports(root, "internal/catalog", false)
	for _, dir := range imported {
		class := strings.TrimPrefix(path.Dir(dir), "messaging/")
		if isAlgorithm(dir) && slices.Contains([]string{".", "permission", "token", "hybrid"}, class) {
			all = append(all, dir)
		}
	}
	return all, err
}

// isAlgorithm reports whether a package that the catalog imports is an algorithm.
func isAlgorithm(dir string) bool {
	if path.Dir(dir) == "." {
		return dir != "mutex" && dir != "messaging"
	}
	class, below := strings.CutPrefix(path.Dir(dir), "messaging/")
	return below && class != "" && path.Base(dir) != "quorum"
}

// imports returns the packages of the module that the one in dir imports, or its tests too.
func imports(root, dir string, tests bool) (all []string, err error) {
	context := build.Default
	context.BuildTags = []string{"doorway_explore", "doorway_full"}
	p, err := context.ImportDir(filepath.Join(root, dir), 0)
	var none *build.NoGoError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	of := p.Imports
	if tests {
		of = slices.Concat(of, p.TestImports, p.XTestImports)
	}
	for _, i := range of {
		if within, ours := strings.CutPrefix(i, module); ours && !slices.Contains(all, within) {
			all = append(all, within)
		}
	}
	return all, nil
}
