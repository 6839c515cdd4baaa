// Package architecture has no code, only tests that hold the arrows of the tree:
//
//	cmd, bench/* → catalog, stress, bench, proof, sim
//	proof        → catalog, explore
//	catalog      → algorithms, mutex, messaging, quorum
//	explore      → mutex, register
//	stress       → mutex, register
//	bench        → mutex
//	algorithms   → register
//	sim, state   → messaging
//	nodes        → messaging, quorum
//
// and register, mutex and messaging on the standard library alone. Algorithms are
// for shared memory, nodes are algorithms that pass messages. The rules below say all.
package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "example.org/doorway"

// A rule is what a package may import besides the standard library. Patterns
// are those of [path.Match]; those of this module are relative to it.
type rule struct {
	of         string
	inside     []string
	algorithms bool // and every algorithm
	outside    []string
	why        string
}

const (
	anAlgorithm = "*"
	aNode       = "messaging/*"
)

// rules are tried in this order, and the first for a package counts. A package
// that none names is an algorithm, so that a new one costs no line here.
var rules = []rule{
	{of: "register", why: "it is the lowest package, and needs the standard library alone"},
	{of: "mutex", why: "it is a contract, and knows no algorithm"},
	{of: "messaging", outside: []string{"go.uber.org/goleak"}, why: "it is a contract and the host of nodes, and knows no algorithm"},
	{of: "messaging/state", inside: []string{"messaging"}, why: "it is handed nodes, and names no algorithm"},
	{of: "messaging/sim", inside: []string{"messaging"}, why: "it is handed nodes, and names no algorithm"},
	{
		of: "messaging/scenario", inside: []string{"messaging", "messaging/sim"},
		why: "it is handed algorithms, and names none",
	},
	{
		of: "messaging/nodetest", inside: []string{"messaging", "messaging/state"},
		why: "it is handed nodes, and names no algorithm",
	},
	{of: "messaging/quorum", inside: []string{"messaging"}, why: "it knows sets of nodes, and no algorithm"},
	{
		of: "messaging/majority", inside: []string{"messaging", "messaging/quorum", "messaging/maekawa"},
		why: "majority voting is Maekawa's algorithm with other sets",
	},
	{of: aNode, inside: []string{"messaging", "messaging/quorum"}, why: "nodes are written on messages alone"},
	{
		of: "internal/catalog", inside: []string{"mutex", "messaging", "messaging/quorum", "messaging/scenario", "messaging/sim"}, algorithms: true,
		why: "it lists algorithms",
	},
	{
		of: "internal/broken", inside: []string{"register", "mutex"},
		why: "it has locks, which are written on registers alone",
	},
	{
		of: "explore", inside: []string{"register", "mutex", "explore/contract"},
		why: "it is handed a mutex.Mutex, and names no algorithm",
	},
	{of: "explore/contract", why: "it reads source, and needs the standard library alone"},
	{of: "internal/interleave", why: "it runs threads, whatever they are"},
	{
		of: "internal/interleave/variants", inside: []string{"internal/interleave"},
		why: "it changes packages, whatever they are",
	},
	{of: "internal/tier", why: "it tells tests apart, whatever they test"},
	{of: "internal/page", why: "it follows pages, whatever they are about"},
	{
		of: "internal/proof", inside: []string{"explore", "mutex", "internal/catalog"},
		why: "it checks the algorithms of the catalog",
	},
	{
		of: "internal/mutants", inside: []string{"internal/catalog", "internal/broken", "internal/mutants/judge"},
		why: "it changes the algorithms of the catalog",
	},
	{
		of: "internal/mutants/judge", inside: []string{"explore", "mutex", "internal/catalog", "internal/broken"},
		why: "it checks locks by what the catalog claims of them",
	},
	{
		of: "internal/costs", inside: []string{"messaging", "messaging/sim", "internal/catalog"},
		why: "it measures the algorithms of the catalog",
	},
	{of: "internal/mutants/report", inside: []string{"internal/mutants"}, why: "it prints what was found"},
	{
		of: "bench/spin/*", inside: []string{"explore", "mutex", "internal/catalog"},
		why: "it measures the checker on the algorithms of the catalog",
	},
	{
		of: "stress", inside: []string{"mutex", "register"},
		why: "it is handed a mutex.Mutex, and names no algorithm",
	},
	{
		of: "bench", inside: []string{"mutex"}, outside: []string{"golang.org/x/sync/*"},
		why: "it is handed a mutex.Mutex, names no algorithm, and measures yardsticks of golang.org/x/sync beside",
	},
	{
		of: "bench/*", inside: []string{"bench", "mutex", "stress", "messaging", "messaging/sim", "internal/catalog"},
		why: "a program that measures takes the algorithms from the catalog",
	},
	{
		of: "cmd/doorway", inside: []string{"mutex", "stress", "bench", "explore", "messaging", "messaging/scenario", "internal/catalog", "internal/broken", "internal/proof", "internal/costs"},
		why: "it takes the algorithms from the catalog",
	},
	{of: anAlgorithm, inside: []string{"register"}, why: "an algorithm is written on registers alone"},
	{of: "*/*", why: "no rule names it: write one"},
}

// forTests is what the tests of any package may take from other modules.
var forTests = []string{"github.com/stretchr/testify/*", "go.uber.org/goleak"}

// empty are names that say nothing of what is in a package.
var empty = []string{"util", "utils", "common", "helper", "helpers", "manager"}

// A source is a package as go list prints it.
type source struct {
	ImportPath   string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// violations returns what is wrong with the imports and names of packages.
func violations(packages []source) (found []string) {
	for _, p := range packages {
		if slices.Contains(empty, p.Name) || slices.Contains(empty, path.Base(p.ImportPath)) {
			found = append(found, p.ImportPath+": the name does not say what is in the package: take a word of the field")
		}
		r := ruleOf(within(p.ImportPath))
		for _, i := range p.Imports {
			if !r.allows(i) {
				found = append(found, fmt.Sprintf("%s imports %s: %s", p.ImportPath, i, r.why))
			}
		}
		for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
			if outside(i) && !r.allows(i) && !matches(forTests, i) {
				found = append(found, fmt.Sprintf("a test of %s imports %s: from other modules it takes no more than its package may", p.ImportPath, i))
			}
		}
	}
	return found
}

func ruleOf(dir string) rule {
	for _, r := range rules {
		if matches([]string{r.of}, dir) {
			return r
		}
	}
	return rule{why: "no rule names it: write one"}
}

// listed says whether the catalog lists the package: it is an algorithm.
func listed(dir string) bool {
	of := ruleOf(dir).of
	return of == anAlgorithm || of == aNode || dir == "messaging/majority"
}

func (r rule) allows(imported string) bool {
	switch {
	case imported == module || strings.HasPrefix(imported, module+"/"):
		return matches(r.inside, within(imported)) || r.algorithms && listed(within(imported))
	case outside(imported):
		return matches(r.outside, imported)
	default:
		return true
	}
}

// within returns the path of a package in the module.
func within(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

// outside returns whether a package is neither of this module nor of the
// standard library, whose paths begin without a dot.
func outside(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return strings.Contains(first, ".") && importPath != module && !strings.HasPrefix(importPath, module+"/")
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		if err != nil {
			panic(err)
		}
		return ok
	})
}

// The check is worth something only if it sees what it is to see.
func TestViolations(t *testing.T) {
	pkg := func(dir string, imports ...string) source {
		return source{ImportPath: module + "/" + dir, Name: path.Base(dir), Imports: imports}
	}
	test := func(dir string, imports ...string) source {
		return source{ImportPath: module + "/" + dir, Name: path.Base(dir), XTestImports: imports}
	}
	for _, c := range []struct {
		p    source
		want string // "": nothing wrong
	}{
		{p: pkg("register", "sync/atomic", "context")},
		{p: pkg("bakery", "context", module+"/register")},
		{p: pkg("newlock", module+"/register")},
		{p: pkg("internal/catalog", module+"/newlock", module+"/mutex")},
		{p: pkg("bench", module+"/mutex", "golang.org/x/sync/semaphore")},
		{p: test("bench", module+"/internal/catalog", "golang.org/x/sync/semaphore")},
		{p: test("bakery", module+"/internal/catalog", "testing")},
		{p: pkg("bench/figures", module+"/bench", module+"/internal/catalog")},
		{p: pkg("cmd/doorway", module+"/internal/catalog", module+"/bench")},

		{pkg("register", module+"/mutex"), "register imports example.org/doorway/mutex: it is the lowest package"},
		{pkg("mutex", module+"/bakery"), "mutex imports example.org/doorway/bakery: it is a contract"},
		{pkg("bakery", module+"/mutex"), "bakery imports example.org/doorway/mutex: an algorithm"},
		{pkg("bakery", "golang.org/x/sync/semaphore"), "bakery imports golang.org/x/sync/semaphore: an algorithm"},
		{pkg("newlock", module+"/bakery"), "newlock imports example.org/doorway/bakery: an algorithm"},
		{pkg("stress", module+"/internal/catalog"), "stress imports example.org/doorway/internal/catalog: it is handed"},
		{pkg("stress", "golang.org/x/sync/errgroup"), "stress imports golang.org/x/sync/errgroup: it is handed"},
		{pkg("internal/catalog", module+"/internal/broken"), "internal/catalog imports example.org/doorway/internal/broken: it lists"},
		{pkg("internal/catalog", module+"/stress"), "internal/catalog imports example.org/doorway/stress: it lists"},
		{pkg("cmd/doorway", module+"/bakery"), "cmd/doorway imports example.org/doorway/bakery: it takes"},
		{pkg("queue/mcs", module+"/register"), "queue/mcs imports example.org/doorway/register: no rule names it"},
		{test("bakery", "golang.org/x/sync/semaphore"), "a test of example.org/doorway/bakery imports golang.org/x/sync/semaphore: from other modules"},
		{pkg("util"), "util: the name does not say"},
		{pkg("bench/common"), "bench/common: the name does not say"},
	} {
		got := violations([]source{c.p})
		switch {
		case c.want == "" && len(got) != 0:
			t.Errorf("%v: found %q, want nothing", c.p, got)
		case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
			t.Errorf("%v: found %q, want %q", c.p, got, c.want)
		}
	}
}

func TestArrows(t *testing.T) {
	root, found := checkout(t), map[string]bool{}
	for _, tags := range []string{"", "doorway_intercept", "doorway_explore"} {
		packages := list(t, root, "-tags="+tags, "./...")
		packages = append(packages, list(t, filepath.Join(root, "cmd", "doorway"), "-tags="+tags, "./...")...)
		for _, dir := range []string{"register", "mutex", "internal/catalog", "cmd/doorway"} {
			if !slices.ContainsFunc(packages, func(p source) bool { return within(p.ImportPath) == dir }) {
				t.Errorf("go list does not know %s/%s", module, dir)
			}
		}
		for _, v := range violations(packages) {
			found[v] = true
		}
	}
	for _, v := range slices.Sorted(maps.Keys(found)) {
		t.Error(v)
	}
}

// What a program that imports the library takes along: of this module and of
// the standard library, and nothing else. Only bench has more, and it is not
// for import by programs that lock.
func TestNothingComesAlong(t *testing.T) {
	root := checkout(t)
	for _, p := range list(t, root, "-deps", "./internal/catalog", "./stress") {
		if outside(p.ImportPath) {
			t.Errorf("the library depends on %s", p.ImportPath)
		}
	}
}

// list returns what go list prints of packages.
func list(t *testing.T, dir string, args ...string) []source {
	t.Helper()
	out := goTool(t, dir, append([]string{"list", "-json=ImportPath,Name,Imports,TestImports,XTestImports"}, args...)...)
	var packages []source
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p source
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// goTool runs the go command for one module, whatever workspace it is in.
func goTool(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

// checkout returns the root of this module. It reads every Go file on the way:
// the go command runs a test anew only if a file has changed that the test
// itself has opened, and what its child processes open does not count.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != root:
			return filepath.SkipDir
		case filepath.Ext(name) == ".go" || d.Name() == "go.mod" || d.Name() == "go.sum":
			_, err := os.ReadFile(name)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}
