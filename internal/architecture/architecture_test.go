// Package architecture has only tests, which check the dependencies between packages:
//
//	cmd, bench/figures → internal/catalog and the tools that users have
//	proof, costs       → internal/catalog, and explore or sim
//	catalog            → internal/catalog, and scenarios, whose algorithms it finds
//	internal/catalog   → algorithms, mutex, messaging and what its algorithms take
//	explore, stress    → mutex, and internal/seam
//	explore/internal/* → each other, in the order automaton, extract, graph, verdict; beside it trace, replay
//	bench              → internal/measure
//	internal/measure   → mutex
//	algorithms         → register, and renaming for processes made on demand
//	nodes              → messaging, quorum, topology, impossible, invariant
//	messaging/*        → messaging
//	internal/spacetime → messaging, messaging/sim, and what writes and draws events
//
// register, mutex, messaging and internal/renaming import only the standard library and
// internal/seam, through which checkers run them; messaging also internal/action, which is words. The rules below are complete: an import that no
// rule allows is a violation.
package architecture

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	// seam is the package between registers and messages and what runs them.
	// Algorithms do not import it.
	seam = "internal/seam"

	// conflict tells hosts of nodes which of them exclude each other.
	conflict = "internal/conflict"

	// space searches states, whatever they are of.
	space = "internal/space"

	// phases are the sections of a lock that a process can be in.
	phases = "explore/internal/phase"

	// history, repeat, steps and wrap are shared by what runs and checks nodes.
	history = "internal/history"
	repeat  = "internal/repeat"
	steps   = "internal/steps"
	wrap    = "internal/wrap"

	anAlgorithm = "*"
	aNode       = "messaging/*/*" // messaging/permission/maekawa
	quorum      = "messaging/permission/quorum"
	topology    = "messaging/topology"
	election    = "messaging/election"
	heartbeat   = "messaging/election/heartbeat"
	link        = "messaging/link"
	recovery    = "messaging/recovery"
	snapshot    = "messaging/snapshot"
	clock       = "messaging/clock"
	multicast   = "messaging/multicast"
	renaming    = "internal/renaming"
	requests    = "internal/requests"
	impossible  = "internal/impossible"
	paths       = "internal/paths"
	invariant   = "internal/invariant"
)

// The first rule that matches a package applies. A package at the top level, or in a
// class of messaging, that no rule names is an algorithm, so a new algorithm needs no
// line here.
var rules = []rule{
	{of: "internal/seam", why: "it is the lowest package, and needs only the standard library"},
	{of: renaming, inside: []string{seam}, why: "it hands out numbers, whatever they are for"},
	{of: "register", inside: []string{seam}, why: "it needs only the standard library and the seam"},
	{of: "mutex", inside: []string{seam, "mcs"}, why: "it is a contract, a queue in front of it, and one lock for users"},
	{of: "internal/action", why: "it is words"},
	{of: "internal/action/causes", inside: []string{"internal/action", "messaging"}, why: "it is handed events"},
	{of: "messaging", inside: []string{seam, "internal/action"}, why: "it is a contract and the host of nodes, and knows no algorithm"},
	{of: conflict, inside: []string{"messaging"}, why: "it is handed nodes, and names no algorithm"},
	{of: "internal/state", inside: []string{"internal/action", "messaging"}, why: "it is handed nodes, and names no algorithm"},
	{
		of: "internal/voting", inside: []string{"internal/state", "messaging", "messaging/sim"}, outside: []string{"github.com/stretchr/testify/*"},
		why: "it is handed nodes, and names no algorithm",
	},
	{of: "internal/notation", inside: []string{"internal/action", "messaging"}, why: "it writes events, and knows no algorithm"},
	{of: "internal/svg", inside: []string{"internal/spelling"}, why: "it writes and reads elements, whatever they draw"},
	{of: "internal/record", why: "it writes values, whatever was measured"},
	{
		of: "internal/spacetime", inside: []string{"internal/action", "internal/action/causes", conflict, clock, "internal/notation", "internal/spelling", "internal/state", "internal/svg", "messaging", "messaging/sim"},
		why: "it draws events, and names no algorithm",
	},
	{of: "messaging/sim", inside: []string{"messaging", topology, paths, "internal/action", conflict, history, "internal/notation", "internal/spelling", "internal/state", steps, wrap}, why: "it is handed nodes, and names no algorithm"},
	{
		of: "messaging/nodetest", inside: []string{"messaging", "messaging/sim", "internal/action", conflict, history, "internal/notation", repeat, "internal/state", steps, wrap},
		why: "it is handed nodes, and names no algorithm",
	},
	{of: history, inside: []string{"messaging", "internal/notation", "internal/state"}, why: "it tells what happened to nodes, whatever they are"},
	{of: repeat, inside: []string{"messaging", "messaging/sim", history}, why: "it repeats failures, whatever found them"},
	{of: steps, inside: []string{"messaging"}, why: "it is what sim hands to hosts that choose every step"},
	{of: wrap, inside: []string{"messaging"}, why: "it wraps nodes, whatever they are"},
	{of: "messaging/nodevet", why: "it reads source, and needs only the standard library"},
	{of: paths, inside: []string{"messaging"}, why: "it knows links between nodes, and no algorithm"},
	{of: topology, inside: []string{"messaging", paths}, why: "it knows links between nodes, and no algorithm"},
	{of: election, inside: []string{"messaging"}, why: "it knows what elections have in common, and no algorithm"},
	{of: clock, inside: []string{"messaging", "internal/action", "internal/action/causes"}, why: "it knows clocks, and no algorithm"},
	{of: heartbeat, inside: []string{"messaging", election, impossible, wrap}, why: "it is handed nodes that elect, and names no algorithm"},
	{of: link, inside: []string{"messaging", impossible, wrap}, why: "it is handed nodes, and names no algorithm"},
	{of: recovery, inside: []string{"messaging", impossible, wrap, election, election + "/bully"}, why: "it is handed nodes, and names no algorithm but that of its election"},
	{of: multicast, inside: []string{"messaging"}, why: "it knows what multicasts have in common, and no algorithm"},
	{
		of: snapshot, inside: []string{"messaging", topology, impossible, "internal/state", wrap},
		why: "it is handed nodes, and names no algorithm",
	},
	{of: quorum, inside: []string{"messaging"}, why: "it knows sets of nodes, and no algorithm"},
	{
		of: "messaging/permission/majority", inside: []string{"messaging", quorum, "messaging/permission/maekawa"},
		why: "majority voting is Maekawa's algorithm with other sets",
	},
	{of: impossible, inside: []string{"messaging"}, why: "it judges messages, and knows no algorithm"},
	{of: invariant, inside: []string{"messaging"}, why: "it judges states, and knows no algorithm"},
	{of: requests, inside: []string{"messaging"}, why: "it is a queue, whatever it is used for"},
	{of: aNode, inside: []string{"messaging", quorum, topology, paths, election, multicast, clock, impossible, invariant, requests, wrap}, why: "nodes use only messages"},
	{
		of: "catalog", inside: []string{"mutex", "messaging", "messaging/sim", "internal/catalog", "internal/spelling"},
		why: "it looks names up in the list, and makes nothing itself",
	},
	{
		of: "internal/catalog", inside: []string{"mutex", "messaging", quorum, topology, paths, conflict, "internal/variant"}, algorithms: true,
		why: "it lists algorithms",
	},
	{of: "internal/variant", why: "it patches source, whatever it is"},
	{of: "internal/variant/overlay", inside: []string{"internal/variant"}, why: "it applies the patches"},
	{of: "internal/explored", inside: []string{"internal/variant/overlay"}, why: "it runs the go command with the patches"},
	{
		of: "explore", inside: []string{"mutex", "messaging", "explore/internal/*", history, "internal/notation", "internal/registers", "internal/spelling", space, seam},
		why: "it is handed a mutex.Mutex or a messaging.Algorithm, and names no algorithm",
	},
	{
		of: "explore/internal/nodes", inside: []string{"messaging", "messaging/sim", conflict, history, "internal/notation", repeat, "internal/state", space, wrap},
		why: "it is handed nodes, and names no algorithm",
	},
	{of: "explore/internal/system", inside: []string{"internal/state", space}, why: "it is handed a system, whatever it describes"},
	{of: "explore/internal/phase", why: "it is words"},
	{of: "explore/internal/source", inside: []string{"mutex", "explore/internal/contract"}, why: "it reads the source of a mutex.Mutex, and runs nothing"},
	{of: "explore/internal/automaton", inside: []string{phases, seam}, why: "it is what one process does, however that was found"},
	{
		of: "explore/internal/extract", inside: []string{"mutex", phases, "explore/internal/source", "explore/internal/automaton", "internal/registers", space, seam},
		why: "it runs the protocols of one process, and knows no states of all",
	},
	{of: "explore/internal/graph", inside: []string{phases, "explore/internal/automaton", space, seam}, why: "it steps automata, however they were found"},
	{
		of: "explore/internal/verdict", inside: []string{phases, "explore/internal/automaton", "explore/internal/graph", space, seam},
		why: "it answers with schedules, and makes no runs",
	},
	{of: "explore/internal/trace", inside: []string{phases, "internal/spelling", "internal/svg"}, why: "it draws a run, however that was found"},
	{
		of:     "explore/internal/replay",
		inside: []string{"mutex", phases, "explore/internal/source", "explore/internal/automaton", "explore/internal/extract", "explore/internal/trace", "internal/registers", "internal/spelling", seam},
		why:    "it makes a run from a schedule, however that was found",
	},
	{of: "internal/registers", inside: []string{"register", "mutex", seam}, why: "it is handed a mutex.Mutex, and names no algorithm"},
	{of: "explore/internal/contract", why: "it reads source, and needs only the standard library"},
	{of: "explore/internal/program", inside: []string{"register"}, why: "its locks are algorithms, and its explorer shares nothing with explore"},
	{of: space, why: "it searches states, whatever they are of"},
	{of: "internal/spelling", why: "it compares and lists names, whatever they are of"},
	{of: "internal/tier", why: "it divides tests into tiers, whatever they test"},
	{
		of: "internal/page", inside: []string{"internal/tier"}, outside: []string{"github.com/stretchr/testify/*"},
		why: "it follows pages, whatever they are about",
	},
	{of: "internal/readme", why: "it has no code but tests"},
	{
		of: "internal/proof", inside: []string{
			"explore", "mutex", "messaging", "messaging/sim", "catalog", "internal/catalog", "internal/variant", "internal/registers", "internal/spelling",
		},
		why: "it checks the algorithms of the catalog, and refutes those that are wrong",
	},
	{
		of: "internal/mutants", inside: []string{"internal/catalog", "internal/record", "internal/variant", "internal/variant/overlay"},
		why: "it changes the sources of the algorithms of the catalog",
	},
	{
		of: "internal/mutants/judge", inside: []string{
			"explore", "mutex", "messaging", "messaging/nodetest", "internal/catalog", "internal/costs", "internal/variant", "internal/mutants",
		},
		why: "it checks locks and nodes against the claims of the catalog",
	},
	{
		of: "internal/costs", inside: []string{"messaging", "messaging/sim", "internal/action", "internal/catalog", "internal/record"},
		why: "it measures the algorithms of the catalog",
	},
	{of: "internal/faults", why: "it has only tests"},
	{of: "internal/lecture", why: "it has only tests"},
	{of: "internal/proofs", inside: []string{"internal/tier"}, why: "it runs proofs, and imports none of what they prove"},
	{of: "internal/mutants/report", inside: []string{"internal/mutants"}, why: "it prints what was found"},
	{
		of: "bench/spin/*", inside: []string{"explore", "messaging/nodetest", "mutex", "internal/catalog"},
		why: "it measures the checker on the algorithms of the catalog",
	},
	{
		of: "bench/c/*", inside: []string{"internal/measure", "mutex", "internal/catalog"},
		why: "it measures the algorithms of the catalog",
	},
	{
		of: "stress", inside: []string{"mutex", seam},
		why: "it is handed a mutex.Mutex, and names no algorithm",
	},
	{
		of: "internal/measure", inside: []string{"mutex"}, outside: []string{"golang.org/x/sync/*"},
		why: "it is handed a mutex.Mutex, names no algorithm, and measures yardsticks of golang.org/x/sync beside",
	},
	{
		of: "bench", inside: []string{"mutex", "internal/measure"},
		why: "it is handed a mutex.Mutex, and names no algorithm",
	},
	{
		of: "bench/growth", inside: []string{"internal/measure", "internal/record", "internal/costs", "mutex", "stress", "messaging", "messaging/sim", "internal/catalog", "internal/svg", "internal/spelling", topology, paths},
		why: "it measures the algorithms of the catalog, and draws their networks",
	},
	{
		of: "bench/*", inside: []string{"register", "internal/measure", "internal/record", "internal/costs", "mutex", "stress", "messaging", "messaging/sim", "internal/catalog", "internal/svg"},
		why: "a program that measures takes the algorithms from the catalog, and their registers",
	},
	{
		of: "cmd/doorway", inside: []string{
			"anylock", "mutex", "stress", "explore", "messaging", "messaging/sim", "messaging/nodetest", "catalog", "cmd/doorway/internal/own", "internal/catalog", "internal/measure",
			"internal/spelling", "internal/spacetime", "internal/variant", "internal/variant/overlay", "internal/proof", "internal/registers", "internal/costs", "internal/notation",
		},
		outside: []string{"github.com/urfave/cli/v3", "golang.org/x/term"},
		why:     "it takes the algorithms from the catalog",
	},
	{
		of: "cmd/doorway/internal/own", inside: []string{"mutex", "explore", "messaging", "messaging/nodetest", "messaging/sim", "stress"},
		why: "it is built in the module of a lock or a protocol, which has no other package of the command",
	},
	{
		of: "anylock", inside: []string{"explore", "internal/space", "anylock/internal/*"}, outside: []string{"golang.org/x/tools/go/*", "golang.org/x/tools/go/types/*"},
		why: "it runs code from its source, and knows no lock",
	},
	{
		of: "anylock/internal/*", inside: []string{"internal/space", "anylock/internal/machine"}, outside: []string{"golang.org/x/tools/go/*", "golang.org/x/tools/go/types/*"},
		why: "source reads, machine runs, search visits",
	},
	{of: anAlgorithm, inside: []string{"register", renaming}, why: "an algorithm uses only registers"},
	{of: "examples/dekker", inside: []string{"register"}, why: "it is what an algorithm of the library would be"},
	{of: "examples/viewchange", inside: []string{"explore"}, why: "it is a design, and runs nothing"},
	{of: "examples/quickstart", inside: []string{"mutex"}, why: "it is the program of the README"},
	{of: "*/*", why: "no rule names it: write one"},
}

// forTests lists what the tests of any package may import from other modules.
var forTests = []string{"github.com/stretchr/testify/*", "go.uber.org/goleak"}

// empty are names that do not describe what a package contains.
var empty = []string{"util", "utils", "common", "helper", "helpers", "manager"}

// violations returns the violations in the imports and names of packages.
func violations(packages []*build.Package) (found []string) {
	for _, p := range packages {
		if slices.Contains(empty, p.Name) || slices.Contains(empty, path.Base(p.ImportPath)) {
			found = append(found, p.ImportPath+": the name does not describe the package: use a word of the field")
		}
		r := ruleOf(within(p.ImportPath))
		for _, i := range p.Imports {
			if !r.allows(i) {
				found = append(found, fmt.Sprintf("%s imports %s: %s", p.ImportPath, i, r.why))
			}
		}
		for _, i := range slices.Concat(p.TestImports, p.XTestImports) {
			if outside(i) && !r.allows(i) && !matches(forTests, i) {
				found = append(found, fmt.Sprintf("a test of %s imports %s: from other modules it may import no more than its package", p.ImportPath, i))
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

// listed reports whether a package is an algorithm, or what the algorithms of a class have in
// common. The link, recovery, the snapshot and heartbeats are: nodes with messages and rules, which no user needs for any other.
func listed(dir string) bool {
	of := ruleOf(dir).of
	return of == anAlgorithm || of == aNode || dir == "messaging/permission/majority" || dir == election || dir == multicast || dir == clock || dir == link || dir == recovery || dir == snapshot || dir == heartbeat
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

// outside reports whether a package is neither of this module nor of the standard
// library, whose paths have no dot in the first element.
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

// The check must find known violations.
func TestViolations(t *testing.T) {
	pkg := func(dir string, imports ...string) *build.Package {
		return &build.Package{ImportPath: module + "/" + dir, Name: path.Base(dir), Imports: imports}
	}
	test := func(dir string, imports ...string) *build.Package {
		return &build.Package{ImportPath: module + "/" + dir, Name: path.Base(dir), XTestImports: imports}
	}
	for _, c := range []struct {
		p    *build.Package
		want string // "": nothing wrong
	}{
		{p: pkg("register", "sync/atomic", "context")},
		{p: pkg("bakery", "context", module+"/register")},
		{p: pkg("newlock", module+"/register")},
		{p: pkg("messaging/token/newring", module+"/messaging")},
		{pkg("messaging/newtool", module+"/messaging"), "messaging/newtool imports example.org/doorway/messaging: no rule names it"},
		{pkg("messaging/permission/maekawa", module+"/messaging/sim"), "messaging/permission/maekawa imports example.org/doorway/messaging/sim: nodes"},
		{p: pkg("internal/catalog", module+"/newlock", module+"/mutex")},
		{p: pkg("internal/measure", module+"/mutex", "golang.org/x/sync/semaphore")},
		{p: test("internal/measure", module+"/internal/catalog", "golang.org/x/sync/semaphore")},

		{pkg("register", module+"/mutex"), "register imports example.org/doorway/mutex: it needs"},
		{pkg("bakery", module+"/internal/seam"), "bakery imports example.org/doorway/internal/seam: an algorithm"},
		{pkg("bakery", "golang.org/x/sync/semaphore"), "bakery imports golang.org/x/sync/semaphore: an algorithm"},
		{pkg("internal/catalog", module+"/stress"), "internal/catalog imports example.org/doorway/stress: it lists"},
		{pkg("queue/mcs", module+"/register"), "queue/mcs imports example.org/doorway/register: no rule names it"},
		{test("bakery", "golang.org/x/sync/semaphore"), "a test of example.org/doorway/bakery imports golang.org/x/sync/semaphore: from other modules"},
		{pkg("explore/internal/graph", module+"/explore/internal/verdict"), "explore/internal/graph imports example.org/doorway/explore/internal/verdict: it steps"},
		{pkg("util"), "util: the name does not describe"},
	} {
		got := violations([]*build.Package{c.p})
		switch {
		case c.want == "" && len(got) != 0:
			t.Errorf("%s: found %q, want nothing", c.p.ImportPath, got)
		case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
			t.Errorf("%s: found %q, want %q", c.p.ImportPath, got, c.want)
		}
	}
}

func TestArrows(t *testing.T) {
	found := map[string]bool{}
	for _, tags := range [][]string{nil, {"doorway_explore"}, {"doorway_full"}} {
		packages := sources(t, tags...)
		for _, dir := range []string{"register", "mutex", "internal/catalog", "cmd/doorway"} {
			assert.Contains(t, packages, module+"/"+dir)
		}
		for _, v := range violations(slices.Collect(maps.Values(packages))) {
			found[v] = true
		}
	}
	assert.Empty(t, slices.Sorted(maps.Keys(found)))
}

// The library depends only on this module and the standard library. Only bench has
// other dependencies, and programs that lock do not import it.
func TestNothingComesAlong(t *testing.T) {
	reached := reach(sources(t), module+"/catalog", module+"/stress")
	for path := range reached {
		assert.False(t, outside(path), "the library depends on %s", path)
	}
	assert.Contains(t, reached, module+"/register", "imports are followed")
}

// reach returns the given packages, and all that they import, directly or through
// packages of this module.
func reach(packages map[string]*build.Package, paths ...string) map[string]bool {
	reached := map[string]bool{}
	for next := paths; len(next) > 0; {
		path := next[0]
		next = next[1:]
		if !reached[path] {
			reached[path] = true
			if p := packages[path]; p != nil { // otherwise it is of the standard library
				next = append(next, p.Imports...)
			}
		}
	}
	return reached
}

// sources returns the packages of this module, of anylock and of the command line's, by
// import path, as a build with the tags would have them.
func sources(t *testing.T, tags ...string) map[string]*build.Package {
	t.Helper()
	context, found, root := build.Default, map[string]*build.Package{}, filepath.Join("..", "..")
	context.BuildTags = tags
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); dir != root && (strings.HasPrefix(name, ".") || name == "testdata") || ofAnotherModule(root, dir) {
			return fs.SkipDir
		}
		p, err := context.ImportDir(dir, 0)
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, dir)
		p.ImportPath = module + "/" + filepath.ToSlash(relative)
		found[p.ImportPath] = p
		return err
	})
	require.NoError(t, err)
	return found
}

// ofAnotherModule reports whether dir is the root of a module that is neither the
// library, nor anylock, nor its command line.
func ofAnotherModule(root, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != root && dir != filepath.Join(root, "cmd", "doorway") && dir != filepath.Join(root, "anylock")
}
