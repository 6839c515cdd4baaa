package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/doorway/internal/mutants/verdict"
)

const module = "example.org/doorway"

// A Program judges mutants, see [judge.Main].
type Program struct {
	path    string
	tests   map[string]suite // by package of nodes
	patches string           // the overlay that it was built with; "": none
}

// Build writes a module to dir, and compiles it: the program that judges the mutants.
// Root is the directory of the module doorway. Each package is compiled once, with the
// changed functions of all its mutants, of which the program chooses one. With lines,
// traces have the lines of the source; without, the packages are known to the build cache,
// wherever dir is.
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
	if err := mutate(root, mutants, files); err != nil {
		return nil, err
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
	p := &Program{path: filepath.Join(dir, "judge"), tests: map[string]suite{}}
	flags := []string{"-ldflags=-s -w"}
	if slices.ContainsFunc(mutants, func(m Mutant) bool { return !m.tested }) {
		if p.patches, err = overlaid(ctx, root); err != nil {
			return nil, err
		}
		flags = append(flags, "-overlay="+p.patches, "-tags=doorway_explore,doorway_variants")
	}
	if !lines {
		flags = append(flags, "-trimpath")
	}
	if err := compile(ctx, dir, slices.Concat([]string{"build", "-o", p.path}, flags, []string{"."})); err != nil {
		return nil, err
	}
	test := slices.Concat([]string{"test", "-c", "-vet=off", "-o", dir + "/"}, flags)
	for _, m := range mutants {
		if _, known := p.tests[m.Algorithm]; m.tested && !known {
			p.tests[m.Algorithm] = suite{filepath.Join(dir, path.Base(m.dir)+".test"), filepath.Join(root, m.dir)}
			test = append(test, "./"+m.dir)
		}
	}
	if len(p.tests) > 0 {
		return p, compile(ctx, dir, test)
	}
	return p, nil
}

// overlaid returns the overlay with the wrong variants. Another program reads the sources of all of them,
// on which the verdict on one algorithm does not depend.
func overlaid(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "run", "./internal/explored", "-overlay")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PWD="+root, "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("mutants: the overlay with the variants: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// compile runs the go command in the module in dir.
func compile(ctx context.Context, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mutants: %w\n%s", err, out)
	}
	return nil
}

// mutate adds the packages of the mutants to files: their source, in which each function
// that some mutant changes calls its original or one of the changed copies, as the variable
// Mutant of the package says: 0, or 1 and the index of the mutant.
func mutate(root string, mutants []Mutant, files map[string][]byte) error {
	of := map[string]map[function][]int{} // by file and function, the mutants
	for k, m := range mutants {
		if of[m.File] == nil {
			of[m.File] = map[function][]int{}
			if err := m.copyPackage(root, files); err != nil {
				return err
			}
		}
		of[m.File][m.function] = append(of[m.File][m.function], k)
	}
	for file, functions := range of {
		// From the end, so that the offsets of the others stay right.
		last := func(a, b function) int { return b.named - a.named }
		for _, f := range slices.SortedFunc(maps.Keys(functions), last) {
			text := slices.Insert(files[file], f.named, []byte("__0")...)
			choice := []byte("switch Mutant {\n")
			for _, k := range functions[f] {
				text = fmt.Appendf(text, "\n//line %s:%d\n%s\n", path.Base(file), f.line, numbered(mutants[k].changed, k+1))
				choice = fmt.Appendf(choice, "case %d:\n%s\n", k+1, numbered(f.call, k+1))
			}
			files[file] = fmt.Appendf(text, "\n%s {\n%sdefault:\n%s\n}\n}\n", f.head, choice, numbered(f.call, 0))
		}
	}
	return nil
}

// numbered returns text with a number for its first $.
func numbered(text string, k int) string { return strings.Replace(text, "$", fmt.Sprint(k), 1) }

// copyPackage adds the source of the package of m to files.
func (m Mutant) copyPackage(root string, files map[string][]byte) error {
	names, err := filepath.Glob(filepath.Join(root, m.dir, "*.go"))
	if err != nil {
		return err
	}
	pkg := ""
	for _, name := range names {
		to := m.dir + "/" + filepath.Base(name)
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && !m.tested || files[to] != nil {
			continue
		}
		if files[to], err = os.ReadFile(name); err != nil {
			return err
		}
		if isTest { // of the mutated package
			imported := fmt.Sprintf("\"%s/%s\"", module, m.dir)
			files[to] = bytes.Replace(files[to], []byte(imported), fmt.Appendf(nil, "\"%s/mutated/%s\"", module, m.dir), 1)
		} else {
			pkg = packageOf(files[to])
		}
	}
	if pkg != "" {
		files[m.dir+"/mutant.go"] = fmt.Appendf(nil, "package %s\n\n// Mutant is the mutant that is judged.\nvar Mutant int\n", pkg)
	}
	if pkg != "" && m.tested {
		files[m.dir+"/mutant_test.go"] = fmt.Appendf(nil, chosen, pkg)
	}
	return nil
}

// chosen is the source with which tests of a mutated package choose the mutant.
const chosen = `package %s

import (
	"os"
	"strconv"
)

func init() { Mutant, _ = strconv.Atoi(os.Getenv("MUTANT")) }
`

// packageOf returns the name of the package of a file.
func packageOf(source []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// program returns the source of the program.
func program(mutants []Mutant) []byte {
	imports := map[string]string{module + "/internal/mutants/judge": "judge"}
	for _, m := range mutants {
		imports[module+"/mutated/"+m.dir] = m.name()
		for _, needed := range m.imports {
			imports[needed] = path.Base(needed)
		}
	}
	var b bytes.Buffer
	b.WriteString("package main\n\nimport (\n")
	for _, imported := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "\t%s %q\n", imports[imported], imported)
	}
	b.WriteString(")\n\nfunc main() {\n\tjudge.Main([]judge.Mutant{\n")
	for _, m := range mutants {
		fmt.Fprintf(&b, "\t\t{Chosen: &%s.Mutant, %s},\n", m.name(), strings.ReplaceAll(m.subject, "$", m.name()))
	}
	b.WriteString("\t})\n}\n")
	return b.Bytes()
}

// name is that of its package in the program.
func (m Mutant) name() string { return "mutated_" + path.Base(m.dir) }

// patience is the time limit for judging one lock: a few seconds on an idle machine,
// so that only one that hangs reaches it.
const patience = 5 * time.Minute

// run judges an algorithm in a process of its own. If the tests of its package are among the
// checks, they come next, and the explorations, which take longest, last.
func (p *Program) run(ctx context.Context, args ...string) verdict.Result {
	r := p.runJudge(ctx, args)
	tests, ok := p.tests[args[0]]
	if !ok || r.Fails != "" || r.Error != "" {
		return r
	}
	if r.Fails = tests.fails(ctx, args); r.Fails != "" {
		r.Setup = "tests of " + args[0]
		return r
	}
	return p.runJudge(ctx, append(args, verdict.Explored))
}

func (p *Program) runJudge(ctx context.Context, args []string) (r verdict.Result) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	// With the default settings, a quarter of the time is garbage collection.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=400", "GOMEMLIMIT=2GiB")
	if p.patches != "" { // the checker examines the source as it was built
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOFLAGS=%s '-overlay=%s'", os.Getenv("GOFLAGS"), p.patches))
	}
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
func (s suite) fails(ctx context.Context, args []string) string {
	k, _ := strconv.Atoi(args[1])
	if k++; len(args) > 2 && args[2] == "original" {
		k = 0
	}
	cmd := exec.CommandContext(ctx, s.path, "-test.failfast", fmt.Sprintf("-test.timeout=%s", patience))
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", fmt.Sprintf("MUTANT=%d", k))
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

// runAll judges locks concurrently, one on each processor.
func (p *Program) runAll(ctx context.Context, locks [][]string) []verdict.Result {
	results := make([]verdict.Result, len(locks))
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
