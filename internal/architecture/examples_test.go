package architecture

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages are the pages of docs whose programs a test builds and runs.
var pages = []string{"docs/own-lock.md", "docs/own-lock-reference.md", "docs/own-protocol.md", "docs/own-protocol-reference.md"}

// Every exported name of the importable packages is used in code that a reader may
// copy and a test runs: an Example, a program of examples, or one of a page of docs. A
// method is found by its name, in files that import its package. A type need not be
// named if something of that type is used: a function or a method that returns it, or
// a field. A kind of message is used where it is sent, in the output of an Example or
// in a scenario, or where it is printed.
func TestExamples(t *testing.T) {
	shown := examples(t)
	for _, p := range surface(t) {
		shown.follow(p.dir, types(t, p.dir))
		for _, name := range p.names {
			if !shown.has(p.dir, name) {
				t.Errorf("no Example has %s of %s: write one, or do not export it", name, p.dir)
			}
		}
	}
}

// uses are the names that example code uses: functions, types, constants and
// variables as "dir: Name", methods and fields as "dir: .Name" where the file imports
// dir, messages as "dir: NAME".
type uses map[string]bool

// has reports whether name of the package in dir is used.
func (u uses) has(dir, name string) bool {
	_, method, ok := strings.Cut(name, ".")
	if !ok {
		return u[dir+": "+name] || u[dir+": "+strings.ToUpper(name)]
	}
	// fmt and encoding/json call these; examples do not.
	return u[dir+": ."+method] || slices.Contains([]string{"String", "Error", "MarshalText"}, method)
}

// follow adds the types of the names that are used.
func (u uses) follow(dir string, of map[string][]string) {
	for changed := true; changed; {
		changed = false
		for name, types := range of {
			owner, member, ok := strings.Cut(name, ".") // or the name of a function
			if !u[dir+": "+owner] || ok && !u[dir+": ."+member] {
				continue
			}
			for _, t := range types {
				changed = changed || !u[dir+": "+t]
				u[dir+": "+t] = true
			}
		}
	}
}

// types returns the types of the package that functions return, and those of methods
// and fields, as Type.Method.
func types(t *testing.T, dir string) map[string][]string {
	t.Helper()
	at, all := filepath.Join("..", "..", filepath.FromSlash(dir)), map[string][]string{}
	of, err := build.ImportDir(at, 0)
	require.NoError(t, err)
	for _, name := range of.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(at, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := n.Name.Name
				if n.Recv != nil {
					name = receiver(n.Recv.List[0].Type) + "." + name
				}
				if n.Type.Results != nil {
					all[name] = identifiers(n.Type.Results)
				}
				return false
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, field := range f.Names {
							all[n.Name.Name+"."+field.Name] = identifiers(f.Type)
						}
					}
				}
			}
			return true
		})
	}
	return all
}

// identifiers returns the identifiers in n that are not of another package.
func identifiers(n ast.Node) (all []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			all = append(all, n.Name)
		}
		return true
	})
	return all
}

// add adds the uses within n, in a file with these imports.
func (u uses) add(n ast.Node, imports map[string]string) {
	ast.Inspect(n, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
			u[imports[x.Name]+": "+s.Sel.Name] = true
			return true
		}
		for _, dir := range imports {
			u[dir+": ."+s.Sel.Name] = true
		}
		return true
	})
}

// examples returns the uses in all example code: the files named example_test.go or
// similarly, Examples in other test files, the tree examples, and the files that the
// pages print.
func examples(t *testing.T) uses {
	t.Helper()
	all, root := uses{}, filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		example := strings.HasPrefix(relative, "examples/") || strings.HasPrefix(path.Base(relative), "example")
		scenario := strings.HasPrefix(relative, "examples/scenarios/")
		if d.IsDir() || !scenario && (!strings.HasSuffix(name, ".go") || !example && !strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		source, err := os.ReadFile(name)
		switch {
		case err != nil:
			return err
		case scenario:
			return all.addScenario(string(source))
		default:
			return all.addFile(relative, string(source), example)
		}
	}))
	for _, p := range pages {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		require.NoError(t, err)
		for k, block := range goBlocks(string(text)) {
			require.NoError(t, all.addFile(fmt.Sprintf("%s, block %d", p, k+1), block, true))
		}
	}
	return all
}

// goBlocks returns the Go files that a page prints.
func goBlocks(page string) (blocks []string) {
	for {
		_, rest, ok := strings.Cut(page, "\n```go\n")
		if !ok {
			return blocks
		}
		var block string
		block, page, _ = strings.Cut(rest, "\n```\n")
		blocks = append(blocks, block)
	}
}

// addFile adds the uses of a whole file, or of its Examples only.
func (u uses) addFile(name, source string, whole bool) error {
	f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	imports := map[string]string{}
	for _, i := range f.Imports {
		of, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		local := path.Base(of)
		if i.Name != nil {
			local = i.Name.Name
		}
		if strings.HasPrefix(of, module+"/") {
			imports[local] = within(of)
		}
	}
	for _, d := range f.Decls {
		of, ok := d.(*ast.FuncDecl)
		if !whole && (!ok || of.Recv != nil || !strings.HasPrefix(of.Name.Name, "Example")) {
			continue
		}
		u.add(d, imports)
		for _, c := range f.Comments {
			if d.Pos() <= c.Pos() && c.End() <= d.End() {
				u.addOutput(imports, c.Text())
			}
		}
	}
	return nil
}

var (
	// aMessage matches a message that is sent: S1 sends REPLY(2) to S3.
	aMessage = regexp.MustCompile(`\b(?:sends|gets) ([A-Z]+)\b`)

	// aKind matches a kind of message as fmt prints it: caosinghal.Transfer.
	aKind = regexp.MustCompile(`\b(\w+)\.([A-Z]\w*)`)

	// theAlgorithm matches the name of the algorithm of a scenario, or a variant of it.
	theAlgorithm = regexp.MustCompile(`(?m)^algorithm (\w+)`)
)

// addOutput adds the messages in the output of an Example.
func (u uses) addOutput(imports map[string]string, text string) {
	for _, dir := range imports {
		u.addMessages(dir, text)
	}
	for _, m := range aKind.FindAllStringSubmatch(text, -1) {
		if dir, ok := imports[m[1]]; ok {
			u[dir+": "+m[2]] = true
		}
	}
}

// addMessages adds the messages that are sent or received in a text to those of dir.
func (u uses) addMessages(dir, text string) {
	for _, m := range aMessage.FindAllStringSubmatch(text, -1) {
		u[dir+": "+m[1]] = true
	}
}

// addScenario adds the messages of a scenario.
func (u uses) addScenario(text string) error {
	of := theAlgorithm.FindStringSubmatch(text)
	if of == nil {
		return nil
	}
	root := filepath.Join("..", "..")
	dirs, err := filepath.Glob(filepath.Join(root, "messaging", "*", of[1]))
	for _, dir := range dirs {
		relative, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		u.addMessages(filepath.ToSlash(relative), text)
	}
	return err
}

// The check must find known uses.
func TestUses(t *testing.T) {
	const header = "package p\n\nimport (\n\t\"example.org/doorway/mutex\"\n\tlock \"example.org/doorway/bakery\"\n)\n\n"
	u := uses{}
	require.NoError(t, u.addFile("p.go", header+"func Example() { mutex.Share(lock.New(3)).Lock() }\nfunc TestUnlock() { mutex.Locker(lock.New(3), 1).Unlock() }", false))
	assert.True(t, u.has("mutex", "Share"))
	assert.True(t, u.has("bakery", "New"), "by the name that it is imported under")
	assert.True(t, u.has("bakery", "Classic.Lock"), "methods count for all types")
	assert.True(t, u.has("explore", "Verdict.String"), "fmt calls it")
	assert.False(t, u.has("mutex", "Locker"), "no Example has it")
	assert.False(t, u.has("mutex", "ProcessLocker.Unlock"), "no Example has it")
	assert.False(t, u.has("register", "Word.Lock"), "it is not imported")
	assert.False(t, u.has("mutex", "New"), "it is of another package")
	assert.Error(t, u.addFile("p.go", "package", true))

	u.follow("bakery", map[string][]string{"New": {"Lock"}, "NewClassic": {"Classic"}, "Lock.Lock": {"Result"}, "Lock.rest": {"Rest"}})
	assert.True(t, u.has("bakery", "Lock"), "New returns it")
	assert.True(t, u.has("bakery", "Result"), "a method of that returns it")
	assert.False(t, u.has("bakery", "Classic"), "no Example makes one")
	assert.False(t, u.has("bakery", "Rest"), "no Example uses the field")

	require.NoError(t, u.addFile("p.go", header+"func Example() {\n\t// Output: S1 gets TICKET(2) and bakery.Turn, but lock.Number and none.Number\n}", false))
	assert.True(t, u.has("bakery", "Ticket"))
	assert.True(t, u.has("bakery", "Number"))
	assert.False(t, u.has("bakery", "Turn"), "it is imported under another name")

	const maekawa = "messaging/permission/maekawa"
	require.NoError(t, u.addScenario("algorithm maekawa/late-failed\n----\n0  S1 sends REQUEST(1,S1) to S2\n"))
	assert.True(t, u.has(maekawa, "Request"))
	assert.False(t, u.has(maekawa, "Release"))

	assert.Equal(t, []string{"package p", "package q\n\nvar x int"},
		goBlocks("# Page\n\n```go\npackage p\n```\n\n```text\nno\n```\n\n```go\npackage q\n\nvar x int\n```\n"))
}
