package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.org/doorway/internal/catalog/variant/overlay"
	"example.org/doorway/internal/measure/jsonfile"
)

// A Program judges mutants: it is package judge, with the mutants in the packages of the catalog.
type Program struct {
	path  string
	tests map[string]string // by package of nodes, its directory, where its quick tests are run
}

// Build compiles the program that judges the mutants, into dir, by an overlay that it writes there.
// Root is the directory of the module doorway. Each package is compiled once, with the
// changed bodies of all its mutants, of which the environment chooses one.
func Build(ctx context.Context, root, dir string, mutants []Mutant) (*Program, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	flags, err := replaced(root, dir, mutants)
	if err != nil {
		return nil, err
	}
	p := &Program{filepath.Join(dir, "judge"), map[string]string{}}
	if err := compile(ctx, root, "build", slices.Concat(flags, []string{"-o", p.path, "./internal/proof/mutants/judge"})...); err != nil {
		return nil, err
	}
	test := append(flags, "-c", "-vet=off", "-o", dir+"/")
	for _, m := range mutants {
		if _, known := p.tests[m.Algorithm]; m.tested && !known {
			p.tests[m.Algorithm] = filepath.Join(root, m.dir)
			test = append(test, "./"+m.dir)
		}
	}
	if len(p.tests) > 0 {
		return p, compile(ctx, root, "test", test...)
	}
	return p, nil
}

// replaced writes the overlay of the mutants to dir, and returns the flags of a build with it. Without the paths of
// root, packages that are not changed are known to the build cache.
func replaced(root, dir string, mutants []Mutant) (flags []string, err error) {
	files, err := mutate(root, mutants)
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	flags = []string{"-trimpath", "-ldflags=-s -w", "-overlay=" + list}
	sources := struct{ Replace map[string]string }{map[string]string{}}
	if slices.ContainsFunc(mutants, func(m Mutant) bool { return !m.tested }) { // locks are judged beside their variants
		flags = append(flags, "-tags="+overlay.Tags)
		if sources.Replace, err = overlay.Files(root, false); err != nil {
			return nil, err
		}
	}
	for name := range files {
		sources.Replace[filepath.Join(root, name)] = filepath.Join(dir, name)
	}
	return flags, errors.Join(jsonfile.WriteAll(dir, files), jsonfile.Write(list, sources))
}

// compile runs the go command in the module in dir.
func compile(ctx context.Context, dir, command string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{command}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mutants: %w\n%s", err, out)
	}
	return nil
}

// mutate returns the changed files of the packages of the mutants, in which each function
// that some mutant changes has its body and the changed ones, of which the variable
// mutant of the package chooses: 0, or 1 and the index of the mutant.
func mutate(root string, mutants []Mutant) (files map[string][]byte, err error) {
	files = map[string][]byte{}
	of := map[string]map[body][]int{} // by file and body, the mutants
	for k, m := range mutants {
		if of[m.File] == nil {
			of[m.File] = map[body][]int{}
			if files[m.File], err = os.ReadFile(filepath.Join(root, m.File)); err != nil {
				return nil, err
			}
			files[m.dir+"/mutant.go"] = fmt.Appendf(nil, chosen, path.Base(m.dir))
		}
		of[m.File][m.body] = append(of[m.File][m.body], k)
	}
	for file, bodies := range of {
		// From the end, so that the offsets of the others stay right.
		last := func(a, b body) int { return b.from - a.from }
		for _, b := range slices.SortedFunc(maps.Keys(bodies), last) {
			choice := []byte("\nswitch mutant {")
			for _, k := range bodies[b] {
				choice = fmt.Appendf(choice, "\ncase %d:\n%s", k+1, mutants[k].changed)
			}
			choice = fmt.Appendf(choice, "\ndefault:\n%s\n}\n", files[file][b.from:b.to])
			files[file] = slices.Replace(files[file], b.from, b.to, choice...)
		}
	}
	return files, nil
}

// chosen is the source by which the environment chooses the mutant of a package.
const chosen = `package %s

import (
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("MUTANT"))
`

// patience is the time limit for judging one lock: a few seconds on an idle machine,
// so that only one that hangs reaches it.
const patience = 5 * time.Minute

// A task is an algorithm to judge: without a change, or a mutant of it.
type task struct {
	name   string
	mutant int    // 1 and its index; 0: without a change
	how    string // an argument of the program
}

// env returns the environment in which a program runs the mutant.
func (t task) env(more ...string) []string {
	return append(append(os.Environ(), "GOMAXPROCS=1", fmt.Sprintf("MUTANT=%d", t.mutant)), more...)
}

// run judges an algorithm in a process of its own. If the tests of its package are among the
// checks, they come next, and the explorations, which take longest, last.
func (p *Program) run(ctx context.Context, t task) Result {
	r := p.runJudge(ctx, t)
	dir, tested := p.tests[t.name]
	if !tested || r.Fails != "" || r.Error != "" {
		return r
	}
	if r.Fails = p.failingTest(ctx, t, dir); r.Fails != "" {
		r.Setup = "tests of " + t.name
		return r
	}
	t.how = Explored
	return p.runJudge(ctx, t)
}

func (p *Program) runJudge(ctx context.Context, t task) (r Result) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, t.name, t.how)
	cmd.Dir = filepath.Dir(p.path)                 // where the checker finds no source to examine
	cmd.Env = t.env("GOGC=400", "GOMEMLIMIT=2GiB") // with the default settings, a quarter of the time is garbage collection
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no verdict within %s", patience)
	}
	if err != nil {
		first, _, _ := strings.Cut(stderr.String(), "\n")
		r.Error = strings.TrimSpace(err.Error() + " " + first)
	}
	return r
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^panic: (.*)`)

// failingTest returns the first of the quick tests of a package that fails, or what else goes wrong; "" if all pass.
func (p *Program) failingTest(ctx context.Context, t task, dir string) string {
	program := filepath.Join(filepath.Dir(p.path), filepath.Base(dir)+".test")
	cmd := exec.CommandContext(ctx, program, "-test.failfast", fmt.Sprintf("-test.timeout=%s", patience))
	cmd.Dir, cmd.Env = dir, t.env()
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	found := failed.FindSubmatch(out)
	if found == nil {
		return err.Error()
	}
	return string(found[1]) + string(found[2])
}

// runAll judges algorithms concurrently, one on each processor.
func (p *Program) runAll(ctx context.Context, tasks []task) []Result {
	results := make([]Result, len(tasks))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for k, t := range tasks {
		all.Go(func() error {
			results[k] = p.run(ctx, t)
			return nil
		})
	}
	_ = all.Wait() // each result has its error
	return results
}
