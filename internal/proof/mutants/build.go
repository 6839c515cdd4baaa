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
	"sync"
	"time"

	"example.org/doorway/internal/catalog/variant/overlay"
	"example.org/doorway/internal/measure/jsonfile"
)

// A Program judges mutants: it is package judge, with the mutants in the packages of the catalog.
type Program struct {
	path    string
	tests   map[string]suite // by package of nodes
	overlay string           // the sources that it was built with
}

// Build compiles the program that judges the mutants, into dir, by an overlay that it writes there.
// Root is the directory of the module doorway. Each package is compiled once, with the
// changed bodies of all its mutants, of which the environment chooses one. With lines,
// traces have the lines of the source; without, the packages are known to the build cache,
// wherever root is.
func Build(ctx context.Context, root, dir string, mutants []Mutant, lines bool) (*Program, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, err
	}
	files, err := mutate(root, mutants)
	if err != nil {
		return nil, err
	}
	p := &Program{path: filepath.Join(dir, "judge"), tests: map[string]suite{}, overlay: filepath.Join(dir, "overlay.json")}
	sources := struct{ Replace map[string]string }{map[string]string{}}
	flags := []string{"-ldflags=-s -w", "-overlay=" + p.overlay}
	if slices.ContainsFunc(mutants, func(m Mutant) bool { return !m.tested }) { // locks are judged beside their variants
		flags = append(flags, "-tags="+overlay.Tags)
		if sources.Replace, err = overlay.Files(root, false); err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		at := filepath.Join(dir, name)
		sources.Replace[filepath.Join(root, name)] = at
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, text, 0o666)); err != nil {
			return nil, err
		}
	}
	if err := jsonfile.Write(p.overlay, sources); err != nil {
		return nil, err
	}
	if !lines {
		flags = append(flags, "-trimpath")
	}
	if err := compile(ctx, root, slices.Concat([]string{"build", "-o", p.path}, flags, []string{"./internal/proof/mutants/judge"})); err != nil {
		return nil, err
	}
	test := append([]string{"test", "-c", "-vet=off", "-o", dir + "/"}, flags...)
	for _, m := range mutants {
		if _, known := p.tests[m.Algorithm]; m.tested && !known {
			p.tests[m.Algorithm] = suite{filepath.Join(dir, path.Base(m.dir)+".test"), filepath.Join(root, m.dir)}
			test = append(test, "./"+m.dir)
		}
	}
	if len(p.tests) > 0 {
		return p, compile(ctx, root, test)
	}
	return p, nil
}

// compile runs the go command in the module in dir.
func compile(ctx context.Context, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
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
		at := func(line int) string { return fmt.Sprintf("\n//line %s:%d\n", path.Base(file), line) }
		// From the end, so that the offsets of the others stay right.
		last := func(a, b body) int { return b.from - a.from }
		for _, b := range slices.SortedFunc(maps.Keys(bodies), last) {
			choice := []byte("\nswitch mutant {")
			for _, k := range bodies[b] {
				choice = fmt.Appendf(choice, "\ncase %d:%s%s", k+1, at(b.first), mutants[k].changed)
			}
			choice = fmt.Appendf(choice, "\ndefault:%s%s\n}%s", at(b.first), files[file][b.from:b.to], at(b.last))
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
	tests, ok := p.tests[t.name]
	if !ok || r.Fails != "" || r.Error != "" {
		return r
	}
	if r.Fails = tests.fails(ctx, t); r.Fails != "" {
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
	cmd.Dir = filepath.Dir(p.path) // where the checker finds no source to examine, except with lines: then as it was built
	// With the default settings, a quarter of the time is garbage collection.
	cmd.Env = t.env("GOGC=400", "GOMEMLIMIT=2GiB", fmt.Sprintf("GOFLAGS=%s '-overlay=%s'", os.Getenv("GOFLAGS"), p.overlay))
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

// A suite is the quick tests of a mutated package: a program, and the directory that it is
// run in.
type suite struct{ path, dir string }

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^panic: (.*)`)

// fails returns the first test that fails, or what else goes wrong; "" if all pass.
func (s suite) fails(ctx context.Context, t task) string {
	cmd := exec.CommandContext(ctx, s.path, "-test.failfast", fmt.Sprintf("-test.timeout=%s", patience))
	cmd.Dir, cmd.Env = s.dir, t.env()
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
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for k, t := range tasks {
		turns <- struct{}{}
		all.Go(func() {
			results[k] = p.run(ctx, t)
			<-turns
		})
	}
	all.Wait()
	return results
}
