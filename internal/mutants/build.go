package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"example.org/doorway/internal/mutants/judge"
)

const module = "example.org/doorway"

// A Program judges mutants, see [judge.Main].
type Program struct {
	path string
}

// Build writes a module to dir with each mutant as a package, and compiles the
// program that judges them. Root is the directory of the module doorway. With lines,
// traces have the lines of the source; without, compiling the same mutants again
// takes a second.
//
// The path of the new module is below that of this one, so that it may import the
// internal packages.
func Build(ctx context.Context, root, dir string, mutants []Mutant, lines bool) (*Program, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"go.mod":  fmt.Appendf(nil, "module %s/mutated\n\ngo 1.25.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %s\n", module, root),
		"go.sum":  sum,
		"main.go": program(mutants),
	}
	for k, m := range mutants {
		if err := m.write(root, fmt.Sprintf("m%d", k), files); err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return nil, err
		}
	}
	p := &Program{filepath.Join(dir, "judge")}
	args := []string{"build", "-tags=doorway_explore", "-ldflags=-s -w", "-o", p.path}
	if !lines {
		args = append(args, "-trimpath") // so the packages are known to the build cache, wherever dir is
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mutants: %w\n%s", err, out)
	}
	return p, nil
}

// write adds the package of m to files.
func (m Mutant) write(root, pkg string, files map[string][]byte) error {
	names, err := filepath.Glob(filepath.Join(root, m.dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[pkg+"/"+filepath.Base(name)] = text
	}
	files[pkg+"/"+filepath.Base(m.File)] = m.source
	return nil
}

// program returns the source of the program.
func program(mutants []Mutant) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t%q\n\t%q\n", module+"/internal/mutants/judge", module+"/mutex")
	for k := range mutants {
		fmt.Fprintf(&b, "\tm%d %q\n", k, fmt.Sprintf("%s/mutated/m%d", module, k))
	}
	b.WriteString(")\n\nfunc main() {\n\tjudge.Main([]func(int) mutex.Mutex{\n")
	for k, m := range mutants {
		fmt.Fprintf(&b, "\t\tfunc(n int) mutex.Mutex { return m%d.%s },\n", k, m.constructor)
	}
	b.WriteString("\t})\n}\n")
	return b.Bytes()
}

// patience is the time limit for judging one lock: a few seconds on an idle machine,
// so that only one that hangs reaches it.
const patience = 5 * time.Minute

// run judges a lock in a process of its own.
func (p *Program) run(ctx context.Context, args ...string) (r judge.Result) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	// With the default settings, a quarter of the time is garbage collection.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=400", "GOMEMLIMIT=2GiB")
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

// runAll judges locks concurrently, one on each processor.
func (p *Program) runAll(ctx context.Context, locks [][]string) []judge.Result {
	results := make([]judge.Result, len(locks))
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for k, args := range locks {
		turns <- struct{}{}
		all.Go(func() {
			results[k] = p.run(ctx, args...)
			<-turns
		})
	}
	all.Wait()
	return results
}
