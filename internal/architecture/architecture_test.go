// Package architecture has only tests, which check the dependencies between packages:
//
//	cmd, bench/*        → the catalog, and the tools that users have
//	internal/proof      → the catalog, and what checks
//	internal/measure    → mutex; its costs → the catalog, and sim
//	catalog             → internal/catalog, and scenarios, whose algorithms it finds
//	internal/catalog    → algorithms, mutex, messaging and what its algorithms take
//	engine              → messaging, link and internal/node; its sqlfence → messaging
//	explore, stress     → mutex, and internal/memory/hook
//	explore/internal/*  → each other, in the order automaton, extract, graph, verdict; beside it trace, replay
//	bench               → internal/measure
//	internal/draw       → messaging, messaging/sim, and what writes events
//	algorithms          → register, and internal/memory
//	nodes               → messaging, quorum, topology, and what nodes share in internal/node
//	messaging/*         → messaging, and internal/node
//	internal/node       → messaging
//
// Packages register, mutex and messaging import only the standard library, internal/memory/hook, through which
// checkers run them, and what they consist of. The rules below are complete: an import that no rule
// allows is a violation.
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

// A rule is what packages may import besides the standard library, in patterns of [path.Match] that are separated
// by spaces. Those of this module are relative to it; "algorithms" are all that [listed] reports.
type rule struct{ of, imports, why string }

const (
	anAlgorithm = "*"
	aNode       = "messaging/*/*" // messaging/permission/maekawa
)

// The first rule that matches a package applies. A package at the top level, or in a
// class of messaging, that no rule names is an algorithm, so a new algorithm needs no
// line here.
var rules = []rule{
	{
		"internal/memory/hook internal/node/action internal/node/loopback internal/node/typename internal/measure/jsonfile internal/node/physical internal/catalog/variant internal/space internal/spelling internal/tier messaging/nodevet explore/internal/phase",
		"",
		"it needs only the standard library",
	},
	{"explore/internal/contract", "internal/spelling", "it reads source, and runs nothing"},
	{"internal/memory/renaming", "internal/memory/hook", "it hands out numbers, whatever they are for"},
	{"internal/memory/cell", "internal/memory/hook", "it is what registers consist of"},
	{"register", "internal/memory/hook internal/memory/cell", "it needs only the standard library, cells and the hook"},
	{"mutex", "internal/memory/hook mcs", "it is a contract, a queue in front of it, and one lock for users"},
	{"internal/node/causality", "internal/node/action messaging", "it is handed events"},
	{"internal/node/refusal", "internal/node/typename", "it is what the contract of nodes panics with"},
	{"messaging", "internal/node/refusal", "it is a contract, and knows no algorithm and no host"},
	{"internal/node/host", "messaging internal/node/layer internal/node/loopback internal/node/typename", "it is what hosts have in common, and knows no algorithm"},
	{"messaging/cluster", "messaging internal/memory/hook internal/node/action internal/node/host", "it is handed nodes, and names no algorithm"},
	{
		"internal/node/conflict internal/node/paths internal/node/impossible internal/node/invariant internal/node/requests messaging/multicast messaging/permission/quorum",
		"messaging",
		"it knows what nodes have in common, and no algorithm",
	},
	{"internal/node/layer", "internal/node/loopback messaging", "it is what layers share, and names no algorithm"},
	{"internal/node/state internal/node/notation", "internal/node/action internal/node/typename messaging", "it is handed nodes and events, and names no algorithm"},
	{"internal/node/votingtest", "internal/node/host internal/node/state messaging messaging/sim github.com/stretchr/testify/*", "it is handed nodes, and names no algorithm"},
	{"internal/draw/svg", "internal/spelling", "it writes and reads elements, whatever they draw"},
	{"internal/draw/network", "internal/draw/svg messaging messaging/topology internal/node/paths", "it draws graphs of nodes, and knows no algorithm"},
	{
		"internal/draw/spacetime",
		"internal/node/action internal/node/causality internal/node/conflict messaging/clock internal/draw/network internal/node/notation internal/spelling internal/node/state internal/draw/svg messaging messaging/sim",
		"it draws events, and names no algorithm",
	},
	{
		"messaging/sim",
		"messaging messaging/topology internal/node/paths internal/node/action internal/node/history internal/node/host internal/node/notation internal/spelling internal/node/state internal/node/steps internal/node/layer",
		"it is handed nodes, and names no algorithm",
	},
	{
		"messaging/nodetest",
		"messaging messaging/sim internal/node/action internal/node/history internal/node/host internal/node/notation internal/node/repeat internal/node/state internal/node/steps internal/node/layer",
		"it is handed nodes, and names no algorithm",
	},
	{"internal/node/steps", "messaging internal/node/action internal/node/conflict internal/node/history internal/node/host internal/node/notation internal/node/layer", "it is what nodes do, whatever host decides when"},
	{"internal/node/history", "messaging internal/node/action internal/node/loopback internal/node/notation internal/node/refusal internal/node/state", "it tells what happened to nodes, whatever they are"},
	{"internal/node/repeat", "messaging messaging/sim internal/node/history", "it repeats failures, whatever found them"},
	{"messaging/topology", "messaging internal/node/paths", "it knows links between nodes, and no algorithm"},
	{"messaging/election", "messaging messaging/cluster", "it knows what is elected, and runs any algorithm that elects"},
	{"messaging/clock", "messaging internal/node/action internal/node/causality", "it knows clocks, and no algorithm"},
	{
		"messaging/election/heartbeat",
		"messaging messaging/election internal/node/impossible internal/node/layer",
		"it is handed nodes that elect, and names no algorithm",
	},
	{"engine", "internal/node/host internal/node/refusal internal/node/wire messaging messaging/link engine/internal/view", "it is handed a protocol, links and a store, and names none"},
	{"engine/sqlfence", "messaging", "it is handed a guard, of whatever lock"},
	{"engine/internal/view", "messaging", "it is handed records and times, and knows no store, network or clock"},
	{"internal/node/wire", "messaging internal/node/state", "it is handed messages, and names no algorithm"},
	{"messaging/link", "messaging internal/node/impossible internal/node/layer", "it is handed nodes, and names no algorithm"},
	{
		"messaging/recovery",
		"messaging internal/node/host internal/node/impossible internal/node/notation internal/node/layer messaging/election messaging/election/bully",
		"it is handed nodes, and names no algorithm but that of its election",
	},
	{
		"messaging/snapshot",
		"messaging messaging/topology internal/node/impossible internal/node/paths internal/node/state internal/node/layer",
		"it is handed nodes, and names no algorithm",
	},
	{
		"messaging/permission/majority",
		"messaging messaging/permission/quorum messaging/permission/maekawa",
		"majority voting is Maekawa's algorithm with other sets",
	},
	{
		aNode,
		"messaging messaging/permission/quorum messaging/topology internal/node/paths messaging/election messaging/multicast messaging/clock internal/node/impossible internal/node/invariant internal/node/physical internal/node/requests internal/node/layer",
		"nodes use only messages",
	},
	{"catalog", "mutex messaging messaging/sim internal/catalog internal/spelling", "it looks names up in the list, and makes nothing itself"},
	{
		"internal/catalog",
		"mutex messaging messaging/permission/quorum messaging/topology internal/node/paths internal/node/conflict internal/catalog/variant algorithms",
		"it lists algorithms",
	},
	{"internal/catalog/variant/overlay", "internal/catalog/variant", "it applies the patches"},
	{"internal/explored", "internal/catalog/variant/overlay", "it runs the go command with the patches"},
	{
		"explore",
		"mutex messaging explore/internal/* internal/node/history internal/node/notation internal/memory/registers internal/spelling internal/space internal/memory/hook",
		"it is handed a mutex.Mutex or a messaging.Algorithm, and names no algorithm",
	},
	{
		"explore/internal/nodes",
		"messaging messaging/sim internal/node/conflict internal/node/history internal/node/host internal/node/notation internal/node/repeat internal/node/state internal/space internal/node/layer",
		"it is handed nodes, and names no algorithm",
	},
	{"explore/internal/system", "internal/node/state internal/space", "it is handed a system, whatever it describes"},
	{"explore/internal/source", "mutex explore/internal/contract internal/memory/registers", "it reads the source of a mutex.Mutex, and runs nothing"},
	{"explore/internal/automaton", "explore/internal/phase internal/memory/hook", "it is what one process does, however that was found"},
	{
		"explore/internal/extract",
		"mutex explore/internal/phase explore/internal/source explore/internal/automaton internal/memory/registers internal/space internal/memory/hook",
		"it runs the protocols of one process, and knows no states of all",
	},
	{
		"explore/internal/graph",
		"explore/internal/phase explore/internal/automaton internal/space internal/memory/hook",
		"it steps automata, however they were found",
	},
	{
		"explore/internal/verdict",
		"explore/internal/phase explore/internal/automaton explore/internal/graph internal/space internal/memory/hook",
		"it answers with schedules, and makes no runs",
	},
	{"explore/internal/trace", "explore/internal/phase internal/spelling internal/draw/svg", "it draws a run, however that was found"},
	{
		"internal/play",
		"explore mutex messaging messaging/permission/quorum messaging/sim messaging/topology catalog examples/scenarios internal/catalog internal/catalog/variant internal/draw/* internal/node/action internal/node/history internal/node/layer internal/node/notation internal/node/steps internal/own/constructor internal/spelling",
		"it plays the algorithms of the catalog, and knows no browser",
	},
	{
		"internal/own",
		"mutex explore messaging messaging/cluster messaging/sim stress internal/draw/spacetime internal/node/conflict internal/node/history internal/own/constructor internal/spelling",
		"it checks a lock or a protocol that it is handed, and knows no other",
	},
	{"internal/own/constructor", "mutex messaging", "it tells what a constructor makes"},
	{"page", "internal/own page/internal/session", "it answers a browser or the command line, and has no logic"},
	{"page/internal/session", "internal/play", "it answers requests, and has no logic"},
	{"page/wasm", "page", "it is the program of the page"},
	{"internal/memory/registers", "register mutex internal/memory/cell internal/memory/hook", "it is handed a mutex.Mutex, and names no algorithm"},
	{"internal/docs/page", "github.com/stretchr/testify/*", "it compares files with what tests make"},
	{"internal/docs internal/docs/tutorial internal/proof/faults internal/proof/lecture", "", "it has only tests"},
	{
		"internal/proof",
		"explore mutex messaging messaging/sim catalog internal/catalog internal/catalog/variant internal/memory/registers internal/spelling",
		"it checks the algorithms of the catalog, and refutes those that are wrong",
	},
	{
		"internal/proof/mutants",
		"internal/catalog internal/measure/jsonfile internal/catalog/variant internal/catalog/variant/overlay golang.org/x/sync/*",
		"it changes the sources of the algorithms of the catalog",
	},
	{
		"internal/proof/mutants/judge",
		"explore mutex messaging messaging/nodetest messaging/sim internal/catalog internal/measure/costs internal/catalog/variant internal/proof/mutants",
		"it checks locks and nodes against the claims of the catalog",
	},
	{"internal/measure/costs", "messaging messaging/sim internal/node/action internal/catalog internal/measure/jsonfile", "it measures the algorithms of the catalog"},
	{"internal/proof/run", "internal/tier golang.org/x/sync/*", "it runs proofs, and imports none of what they prove"},
	{"internal/proof/mutants/report", "internal/proof/mutants", "it prints what was found"},
	{"bench/spin/*", "explore messaging/nodetest mutex internal/catalog", "it measures the checker on the algorithms of the catalog"},
	{"bench/c/*", "internal/measure mutex internal/catalog", "it measures the algorithms of the catalog"},
	{"stress", "mutex internal/memory/hook", "it is handed a mutex.Mutex, and names no algorithm"},
	{
		"internal/measure",
		"mutex golang.org/x/sync/*",
		"it is handed a mutex.Mutex, names no algorithm, and measures yardsticks of golang.org/x/sync beside",
	},
	{"bench", "mutex internal/measure", "it is handed a mutex.Mutex, and names no algorithm"},
	{
		"bench/growth",
		"internal/measure internal/measure/jsonfile internal/measure/costs mutex stress messaging messaging/sim internal/catalog internal/draw/network internal/draw/svg internal/spelling messaging/topology",
		"it measures the algorithms of the catalog, and draws their networks",
	},
	{
		"bench/*",
		"register internal/measure internal/measure/jsonfile internal/measure/costs mutex stress messaging messaging/cluster messaging/sim internal/catalog internal/draw/svg",
		"a program that measures takes the algorithms from the catalog, and their registers",
	},
	{
		"cmd/doorway",
		"anylock mutex stress explore messaging messaging/cluster messaging/sim messaging/nodetest catalog internal/own internal/catalog internal/measure internal/spelling internal/draw/spacetime internal/catalog/variant internal/catalog/variant/overlay internal/proof internal/memory/registers internal/measure/costs internal/node/notation github.com/urfave/cli/v3 golang.org/x/term",
		"it takes the algorithms from the catalog",
	},
	{
		"anylock",
		"explore internal/space anylock/internal/* golang.org/x/tools/go/* golang.org/x/tools/go/types/*",
		"it runs code from its source, and knows no lock",
	},
	{
		"anylock/internal/*",
		"internal/space anylock/internal/machine golang.org/x/tools/go/* golang.org/x/tools/go/types/*",
		"source reads, machine runs, search visits",
	},
	{anAlgorithm, "register internal/memory/cell internal/memory/renaming", "an algorithm uses only registers"},
	{"examples/dekker", "register", "it is what an algorithm of the library would be"},
	{"examples/quickstart", "mutex", "it is the program of the README"},
	{"examples/scenarios", "", "it has only scenarios"},
	{"*/*", "", "no rule names it: write one"},
}

// forTests lists what the tests of any package may import from other modules.
const forTests = "github.com/stretchr/testify/* go.uber.org/goleak"

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
	k := slices.IndexFunc(rules, func(r rule) bool { return matches(r.of, dir) })
	if k < 0 {
		return rule{why: "no rule names it: write one"}
	}
	return rules[k]
}

// listed reports whether a package is an algorithm, or what the algorithms of a class have in
// common. The link, recovery, the snapshot and heartbeats are: nodes with messages and rules, which no user needs for any other.
func listed(dir string) bool {
	of := ruleOf(dir).of
	const more = "messaging/permission/majority messaging/election messaging/election/heartbeat messaging/multicast messaging/clock " +
		"messaging/link messaging/recovery messaging/snapshot"
	return of == anAlgorithm || of == aNode || matches(more, dir)
}

func (r rule) allows(imported string) bool {
	name := within(imported)
	if name == imported && name != module && !outside(name) {
		return true // of the standard library
	}
	return matches(r.imports, name) || matches(r.imports, "algorithms") && listed(name)
}

// within returns the path of a package in the module.
func within(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

// outside reports whether a package is neither of this module nor of the standard
// library, whose paths have no dot in the first element.
func outside(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return strings.Contains(first, ".") && importPath != module && !strings.HasPrefix(importPath, module+"/")
}

func matches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool {
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
		{pkg("bakery", module+"/internal/memory/hook"), "bakery imports example.org/doorway/internal/memory/hook: an algorithm"},
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
