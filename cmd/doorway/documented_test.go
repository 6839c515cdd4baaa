//go:build !doorway_explore

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// pages are the files that show commands other than doorway, from the root of the
// repository.
var pages = []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "bench/spin/README.md", "bench/c/README.md"}

// A command stands in a code span, or in a line of its own between fences or after
// spaces. A span of two words, such as go vet, names a tool.
var (
	fenced   = regexp.MustCompile("^```")
	inFence  = regexp.MustCompile(`^\s*(?:\$ )?((?:[A-Z]+=\S+ )*(?:go [a-z]+|bash|git|make|bench/\S+|\./\S+)(?: .*)?)$`)
	indented = regexp.MustCompile(`^    (go [a-z]+ .*)$`)
	spanned  = regexp.MustCompile("`((?:[A-Z]+=[^` ]+ )*(?:go [a-z]+|bash|git|make|bench/(?:spin|c)/run|\\./[^\\s`]+) [^`]+)`")
	quoted   = regexp.MustCompile(`<!-- [a-z ]+: (go .*) -->`) // that generates what follows
)

// commandsIn returns the commands in text, without those of doorway, which
// TestShownCommandLines runs.
func commandsIn(text string) (all []string) {
	text = broken.ReplaceAllString(text, " ")
	fence := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		var found []string
		switch {
		case fenced.MatchString(line):
			fence = !fence
		case fence && inFence.MatchString(line):
			found = inFence.FindStringSubmatch(line)[1:]
		case indented.MatchString(line):
			found = indented.FindStringSubmatch(line)[1:]
		case quoted.MatchString(line):
			found = quoted.FindStringSubmatch(line)[1:]
		case !fence:
			for _, m := range spanned.FindAllStringSubmatch(line, -1) {
				found = append(found, m[1])
			}
		}
		for _, f := range found {
			for one := range strings.SplitSeq(f, " && ") {
				one = strings.TrimSpace(behind.ReplaceAllString(strings.TrimSpace(one), ""))
				if !called.MatchString(one) {
					all = append(all, one)
				}
			}
		}
	}
	return all
}

func TestCommandsIn(t *testing.T) {
	const text = "Run `go test -race ./x && go vet work`, `go vet`, or `go run ./cmd/doorway list`.\n" +
		"```console\n$ go mod init mylock\ngo: creating new go.mod: module mylock\n$ grep x\n" +
		"GOWORK=off go test ./... # a comment\n```\n    go run ./bench/figures -report docs\n<!-- locks: go test ./x -update -->\n"
	assert.Equal(t, []string{
		"go test -race ./x", "go vet work", "go mod init mylock", "GOWORK=off go test ./...",
		"go run ./bench/figures -report docs", "go test ./x -update",
	}, commandsIn(text))
}

const (
	here    = "here"    // TestDocumentedCommands runs it
	release = "release" // it needs a released version
)

// runners has the commands that pages show, and what runs each: a test of a
// package, the line of a file that runs it, or one of the constants. The first row
// whose expression matches the whole of a command has it.
var runners = []struct{ command, by string }{
	// The tiers.
	{`go test work`, ".ci/run: go test -count=1 work"},
	{`go test -tags doorway_full work`, ".ci/run: go test -count=1 -timeout 25m -tags doorway_full work"},
	{`go test -race work`, ".ci/run: go test -count=1 -p 4 -race work"},
	{`go install -C \.\./doorway/cmd/doorway`, `.ci/run: in_module "$m" go build -o /dev/null ./...`},
	{`bash \.ci/run`, ".github/workflows/ci.yml: run: bash .ci/run"},

	// What readers of the pages type in a module of their own.
	{`go mod init (mylock|rounds)`, "examples/ownlock: TestPage"},
	{`go mod edit -require=example\.org/doorway@v0\.0\.0 -replace=example\.org/doorway=\.\./doorway`, "examples/ownlock: TestPage"},
	{`go mod edit -go=1\.25\.0 -require=example\.org/doorway@v0\.0\.0 -replace=example\.org/doorway=\.\./doorway`, here},
	{`go mod tidy`, ".ci/run: go mod tidy -diff"},
	{`go test -tags doorway_explore( -v)?`, "examples/ownlock: TestPage"},
	{`go test`, "examples/ownprotocol: TestPage"},
	{`go test -race( -run Cluster)?`, "examples/ownprotocol: TestPage"},
	{`go test -v -run (EverySchedule|Cost)`, "examples/ownprotocol: TestPage"},
	{`go test (-v |-race )?-run (Contract|Comparison|Scenarios|Snapshot)`, "examples/ownprotocol: TestReference"},

	// What generates files. The tests fail if these are stale.
	{`go test \./internal/readme -update`, "internal/readme: TestLocks"},
	{`go test \./internal/costs -update`, "internal/costs: TestTable"},
	{`go test -tags doorway_full \./internal/faults -update`, "internal/faults: TestMatrix"},
	{`go test \./internal/faults -update`, "internal/faults: TestSentences"},
	{`go test -tags doorway_full \./internal/proved -update`, "internal/proved: TestSizes"},
	{`go test \./internal/refutation -update`, "internal/refutation: TestPage"},
	{`go test -tags doorway_explore,doorway_full \./internal/proof -update`, "internal/proof: TestProperties"},
	{`go test -tags doorway_full \./internal/mutants -update`, "internal/mutants: TestEveryMutantDies"},
	{`go test -tags doorway_full \./examples/ownlock \./examples/ownprotocol -update`, "examples/ownlock: TestPage"},
	{`go test -tags doorway_full \./examples/viewchange -update`, "examples/viewchange: TestRules"},
	{`go test -tags doorway_explore \./explore -run CounterexamplePicture -update`, "explore: TestCounterexamplePicture"},
	{`go test \./internal/spacetime -run Docs -update`, "internal/spacetime: TestDocs"},
	{`go test \./messaging/clock -run Docs -update`, "messaging/clock: TestDocs"},
	{`go test \./messaging/recovery -run Docs -update`, "messaging/recovery: TestDocs"},
	{`go test \./internal/lecture -run Docs -update`, "internal/lecture: TestExercisesDocs"},
	{`go test \./internal/architecture -update`, "internal/architecture: TestAPI"},
	{`go test \./bench/spin/ours -update`, "bench/spin/ours: TestPage"},
	{`bench/spin/run`, "bench/spin/ours: TestPage"}, // which reads its output; it needs SPIN
	{`bench/c/run`, "bench/c/beside: TestPage"},     // which reads its output; it takes minutes
	{`go test -tags doorway_full \./bench/c/beside`, "bench/c/beside: TestTwinsExclude"},
	{`go generate \./internal/variant`, "internal/variant/generate: TestGenerated"},
	{`go run \./bench/figures -report docs`, "bench/figures: TestPageHasEveryLockAndWellFormedPlots"}, // it takes minutes
	{`go run \./bench/figures -redraw docs`, here},
	{`go run \./bench/growth -(report|redraw) docs`, "bench/growth: TestPageIsDrawnFromItsData"}, // the former takes minutes
	{`go test \./bench/growth -update`, "bench/growth: TestWhichAlgorithm"},

	// Checks and measurements.
	{`go test -tags doorway_explore,doorway_full \./register`, "internal/proof/plain_test.go: \"./register\""},
	{`go test -tags doorway_explore -fuzz FuzzLocks -fuzzminimizetime 10x \./explore/internal/program`, "explore/internal/program/program_explore_test.go: func FuzzLocks("}, // it ends on Ctrl-C
	{`go run \./internal/mutants/report`, "internal/mutants: TestEveryMutantDies"},
	{`go run \./internal/mutants/report dekker`, here},
	{`go run \./internal/mutants/report -nodes( <package>)?`, "internal/mutants: TestEveryNodeMutantDies"},
	{`go test (-race )?-run '\^\$' -bench \S+ \./bench`, here},
	{`go run -tags doorway_explore \./bench/spin/ours -lock bakery-classic -n 3 -cap 8 -only starvation`, here},
	{`go run \./bench/spin/ours -protocol maekawa -n 3 -rounds 2`, here},
	{`go doc \S+`, here},

	// Releasing.
	{`go mod edit -dropreplace=<path> -require=<path>@v1\.2\.3`, here},
	{`go mod edit -require=<path>@v0\.0\.0 -replace=<path>=\.\./\.\.`, here},
	{`GOWORK=off go mod tidy`, release},
	{`GOWORK=off go test \./\.\.\.`, release},
	{`go install <path>/cmd/doorway@v1\.2\.3`, release},
}

// Every command that a page shows is run by a test or a step of .ci/run. Those that
// nothing else runs, run here in the full proof.
func TestDocumentedCommands(t *testing.T) {
	inOneBuild(t)
	if tier.Full {
		readSources(t)
	}
	t.Chdir(filepath.Join("..", ".."))
	var run []string
	for _, pattern := range pages {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, "no %s", pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, command := range commandsIn(string(text)) {
				by := runBy(command)
				assert.NotEmpty(t, by, "%s shows a command that nothing runs: %q; add it to runners", file, command)
				assertPackages(t, file, command)
				if by == here && !slices.Contains(run, command) {
					run = append(run, command)
				}
			}
		}
	}
	require.NotEmpty(t, run, "the test overlooks commands")
	for _, d := range runners {
		assertRuns(t, d.by)
	}
	for _, command := range run {
		t.Run(command, func(t *testing.T) {
			tier.NeedsFull(t, "runs go commands")
			runHere(t, command)
		})
	}
}

// runBy returns what runs a command; "" if nothing does.
func runBy(command string) string {
	for _, d := range runners {
		if regexp.MustCompile(`^(?:` + d.command + `)$`).MatchString(command) {
			return d.by
		}
	}
	return ""
}

// assertRuns asserts that the test, or the line of a file, exists.
func assertRuns(t *testing.T, by string) {
	t.Helper()
	where, what, found := strings.Cut(by, ": ")
	if !found {
		return
	}
	files := []string{where}
	if strings.HasPrefix(what, "Test") {
		what = "func " + what + "(t *testing.T)"
		var err error
		files, err = filepath.Glob(filepath.Join(where, "*_test.go"))
		require.NoError(t, err)
	}
	assert.True(t, slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(text), what)
	}), "%s has no %q", where, what)
}

// assertPackages asserts that the packages exist that a command names, and the tests
// that -run selects of them.
func assertPackages(t *testing.T, file, command string) {
	t.Helper()
	words := strings.Fields(command)
	for _, word := range words {
		if !strings.HasPrefix(word, "./") || word == "./..." {
			continue
		}
		sources, err := filepath.Glob(filepath.Join(word, "*.go"))
		require.NoError(t, err)
		assert.NotEmpty(t, sources, "%s: %q: there is no package %s", file, command, word)
		if k := slices.Index(words, "-run"); k >= 0 && words[k+1] != "'^$'" {
			assert.True(t, slices.ContainsFunc(sources, func(source string) bool {
				text, err := os.ReadFile(source)
				require.NoError(t, err)
				return regexp.MustCompile(`(?m)^func Test\w*` + words[k+1]).Match(text)
			}), "%s: %q: %s has no such test", file, command, word)
		}
	}
}

// inCommand maps what stands for something in a command to an example, or to what
// takes less time.
var inCommand = strings.NewReplacer("<path>", "example.org/doorway", "'^$'", "^$", "dekker", "peterson", "lock=…", "lock=peterson", "-n 3 -cap 8", "-n 2 -cap 4", "-bench ", "-benchtime=1x -bench ")

// runHere runs a command, on copies of the files that it changes.
func runHere(t *testing.T, command string) {
	t.Helper()
	args := strings.Fields(inCommand.Replace(command))
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	switch {
	case slices.Contains(args, "-race"):
		out, err := exec.CommandContext(t.Context(), "go", "env", "CGO_ENABLED").Output()
		require.NoError(t, err)
		if string(bytes.TrimSpace(out)) != "1" {
			t.Skip("the race detector needs cgo")
		}
	case slices.Contains(args, "edit"):
		cmd.Dir = t.TempDir()
		text, err := os.ReadFile("cmd/doorway/go.mod")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "go.mod"), text, 0o666))
	case args[len(args)-1] == "docs":
		docs := t.TempDir()
		require.NoError(t, os.CopyFS(docs, os.DirFS("docs")))
		cmd.Args[len(args)-1] = docs
		defer func() {
			for _, name := range []string{"results.md", "tail.svg"} {
				want, err := os.ReadFile(filepath.Join("docs", name))
				require.NoError(t, err)
				got, err := os.ReadFile(filepath.Join(docs, name))
				require.NoError(t, err)
				assert.Equal(t, string(want), string(got), "%s of %s", name, command)
			}
		}()
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%q: %s", cmd.Args, out)
	if slices.Contains(args, "-bench") {
		assert.Contains(t, string(out), "Benchmark", "%q runs no benchmark", cmd.Args)
	}
}
