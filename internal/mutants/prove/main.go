// Command prove judges the mutants of all algorithms, each in a go test of its own, so that the go
// command runs again only those whose sources have changed:
//
//	go run ./internal/mutants/prove [flag of go test ...]
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"example.org/doorway/internal/mutants"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func run(flags []string) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	locks, packages, err := mutants.Rows(root)
	if err != nil {
		return err
	}
	var failed error
	for k, r := range slices.Concat(locks, packages) {
		test := "TestMutants"
		if k >= len(locks) {
			test = "TestNodeMutants"
		}
		fmt.Printf("%s/%s: ", test, r.Name)
		cmd := exec.Command("go", slices.Concat([]string{"test", "-tags=doorway_full", "-timeout=30m"}, flags, []string{"-run=^" + test + "$/^" + r.Name + "$", "./internal/mutants"})...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.Name, err))
		}
	}
	return failed
}
