// Package variants tests package interleave by mutation: it copies a package whose
// scenarios are explored (see [interleave]), makes a small change to each copy, and if
// the change breaks the package, one of the scenarios must show it.
//
// The scenarios are in a test file that is part of the copy, and that has
//
//	func Report(change int, shown string)
//
// which calls [Report] with its scenarios.
package variants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant"
)

// A Change is a change to the source of a package that breaks it, or might.
type Change struct {
	variant.Edit
	Name  string
	Shown string // the beginning of the names of the scenarios that show it
	Right string // why it is correct in these scenarios; "": it breaks the package
}

// Check makes each of the changes in a copy of the package under test, whose scenarios
// are in that file. The test fails if a change that breaks the package is not shown, or
// if a correct one fails. In the quick tests, it fails only if a change does not fit the source.
func Check(t *testing.T, scenarios string, changes []Change) {
	t.Helper()
	original := source(t, scenarios)
	for _, c := range changes {
		if _, err := c.Apply(original[c.File]); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	tier.NeedsFull(t, "compiles a copy of the package with each change")
	outcomes := exploreAll(t, scenarios, changes)
	if len(outcomes) != len(changes) {
		t.Fatalf("%d outcomes of %d changes", len(outcomes), len(changes))
	}
	for _, o := range outcomes {
		c := changes[o.Change]
		t.Run(c.Name, func(t *testing.T) { o.judge(t, c) })
	}
}

// An outcome is the result of exploring a change.
type outcome struct {
	Change            int
	Scenario, Failure string
	Trace             interleave.Trace
}

func (o outcome) judge(t *testing.T, c Change) {
	t.Helper()
	switch {
	case o.Failure == "" && c.Right == "":
		t.Error("no scenario shows the fault")
	case o.Failure != "" && c.Right != "":
		t.Errorf("expected to be correct, but: %s: %s\n%v", o.Scenario, o.Failure, o.Trace)
	case o.Failure == "":
		t.Logf("equivalent to the original: %s", c.Right)
	case o.Trace == nil: // there were too many states
		t.Errorf("%s: %s", o.Scenario, o.Failure)
	default:
		t.Logf("%s: %s\n%v", o.Scenario, o.Failure, o.Trace)
	}
}

// Report explores those of n scenarios whose names begin with shown, up to the first failure,
// and prints the outcome of the change for [Check] to read. Of returns the name of scenario k,
// and what makes it.
func Report(change int, shown string, n int, of func(k int) (name string, scenario func() interleave.Scenario)) {
	o := outcome{Change: change}
	for k := 0; k < n && o.Failure == ""; k++ {
		if name, scenario := of(k); strings.HasPrefix(name, shown) {
			r := interleave.Explore(scenario())
			o.Scenario, o.Failure, o.Trace = name, r.Failure, r.Trace
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		panic(err)
	}
}

// exploreAll builds and runs a program that explores all changes, each in a package of
// its own, with the scenarios.
func exploreAll(t *testing.T, scenarios string, changes []Change) (all []outcome) {
	t.Helper()
	dir := t.TempDir()
	writeProgram(t, dir, scenarios, changes)
	run(t, dir, "go", "build", "-tags=doorway_explore", "-trimpath", "-o=explore", ".")
	out := run(t, dir, filepath.Join(dir, "explore"))
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var o outcome
		require(t, d.Decode(&o))
		all = append(all, o)
	}
	return all
}

// writeProgram writes a module whose path is below that of the library, so that it may
// import internal packages.
func writeProgram(t *testing.T, dir, scenarios string, changes []Change) {
	t.Helper()
	tested, err := os.Getwd()
	require(t, err)
	root, name := filepath.Dir(tested), filepath.Base(tested)
	if filepath.Base(root) == "internal" {
		root = filepath.Dir(root)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.org/doorway/broken\n\ngo 1.25.0\n\n"+
		"require example.org/doorway v0.0.0\n\nreplace example.org/doorway => "+root+"\n")
	original := source(t, scenarios)
	imports, calls := "", ""
	for i, c := range changes {
		for file, text := range original {
			if file == c.File {
				if text, err = c.Apply(text); err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
			}
			write(t, filepath.Join(dir, fmt.Sprintf("v%d", i), name, file), text)
		}
		imports += fmt.Sprintf("import v%d \"example.org/doorway/broken/v%[1]d/%s\"\n", i, name)
		calls += fmt.Sprintf("\tv%d.Report(%[1]d, %q)\n", i, c.Shown)
	}
	write(t, filepath.Join(dir, "main.go"), "package main\n\n"+imports+"\nfunc main() {\n"+calls+"}\n")
}

// source returns the source of the package under test, with the scenarios, whose file
// is not a test there.
func source(t *testing.T, scenarios string) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require(t, err)
	files := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && name != scenarios {
			continue
		}
		text, err := os.ReadFile(name)
		require(t, err)
		files[strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")+".go"] = string(text)
	}
	return files
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require(t, os.WriteFile(name, []byte(text), 0o666))
}

// run runs a program in dir and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}

// require ends the test if there is an error.
func require(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
