package architecture

import (
	"go/ast"
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

// Every exported name of the importable packages is used in code that a reader may
// copy and a test runs: a file named after its Examples, or a program of examples. A
// method is found by its name, in files that import its package. A type need not be
// named if something of that type is used: a function or a method that takes or returns
// it, or a field. A kind of message is used where it is sent, in the output of an Example or
// in a scenario, or where it is printed.
func TestExamples(t *testing.T) {
	shown := examples(t)
	shown["messaging/cluster: Unordered"] = true // in docs/own-protocol.md, whose programs a test runs
	for _, p := range surface(t) {
		shown.follow(p.dir, p.lines)
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

// aUse matches a line of an API: a function or a field, and what types it has.
var aUse = regexp.MustCompile(`^[^ ]+: (?:func ([\w.]+)|type (\w+: \w+) )(.*)$`)

// aType matches a type of the same package.
var aType = regexp.MustCompile(`(?:^|[^.\w])([A-Z]\w*)`)

// follow adds the types of the functions, methods and fields that are used.
func (u uses) follow(dir string, lines []string) {
	for changed := true; changed; {
		changed = false
		for _, line := range lines {
			m := aUse.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			owner, member, isMember := strings.Cut(strings.Replace(m[1]+m[2], ": ", ".", 1), ".")
			if !u[dir+": "+owner] || isMember && !u[dir+": ."+member] {
				continue
			}
			for _, of := range aType.FindAllStringSubmatch(m[3], -1) {
				changed = changed || !u[dir+": "+of[1]]
				u[dir+": "+of[1]] = true
			}
		}
	}
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

// examples returns the uses in all example code: the tests whose file is named after an
// example, and the tree examples.
func examples(t *testing.T) uses {
	t.Helper()
	all := uses{}
	eachFile(t, func(name string, text []byte) {
		switch {
		case path.Dir(name) == "examples/scenarios" && path.Ext(name) == ".txt":
			require.NoError(t, all.addScenario(string(text)))
		case strings.Contains(name, "/testdata/") || path.Ext(name) != ".go":
		case strings.HasPrefix(name, "examples/") || strings.Contains(path.Base(name), "example"):
			require.NoError(t, all.addFile(name, string(text)))
		}
	})
	return all
}

// addFile adds the uses of a file.
func (u uses) addFile(name, source string) error {
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
	u.add(f, imports)
	for _, c := range f.Comments {
		u.addOutput(imports, c.Text())
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
	dirs, err := fs.Glob(os.DirFS(filepath.Join("..", "..")), "messaging/*/"+of[1])
	for _, dir := range dirs {
		u.addMessages(dir, text)
	}
	return err
}

// The check must find known uses.
func TestUses(t *testing.T) {
	const header = "package p\n\nimport (\n\t\"example.org/doorway/mutex\"\n\tlock \"example.org/doorway/bakery\"\n)\n\n"
	u := uses{}
	require.NoError(t, u.addFile("p.go", header+"func Example() { mutex.Share(lock.New(3)).Lock() }"))
	assert.True(t, u.has("mutex", "Share"))
	assert.True(t, u.has("bakery", "New"), "by the name that it is imported under")
	assert.True(t, u.has("bakery", "Classic.Lock"), "methods count for all types")
	assert.True(t, u.has("explore", "Verdict.String"), "fmt calls it")
	assert.False(t, u.has("mutex", "Locker"), "no Example has it")
	assert.False(t, u.has("mutex", "Shared.Unlock"), "no Example has it")
	assert.False(t, u.has("register", "Word.Lock"), "it is not imported")
	assert.False(t, u.has("mutex", "New"), "it is of another package")
	assert.Error(t, u.addFile("p.go", "package"))

	u.follow("bakery", []string{
		"bakery: func New(n int) *Lock", "bakery: func NewClassic() Classic", "bakery: func Lock.Lock(i int) Result", "bakery: type Lock: Rest Rest",
	})
	assert.True(t, u.has("bakery", "Lock"), "New returns it")
	assert.True(t, u.has("bakery", "Result"), "a method of that returns it")
	assert.False(t, u.has("bakery", "Classic"), "no Example makes one")
	assert.False(t, u.has("bakery", "Rest"), "no Example uses the field")

	require.NoError(t, u.addFile("p.go", header+"func Example() {\n\t// Output: S1 gets TICKET(2) and bakery.Turn, but lock.Number and none.Number\n}"))
	assert.True(t, u.has("bakery", "Ticket"))
	assert.True(t, u.has("bakery", "Number"))
	assert.False(t, u.has("bakery", "Turn"), "it is imported under another name")

	const maekawa = "messaging/permission/maekawa"
	require.NoError(t, u.addScenario("algorithm maekawa/late-failed\n----\n0  S1 sends REQUEST(1,S1) to S2\n"))
	assert.True(t, u.has(maekawa, "Request"))
	assert.False(t, u.has(maekawa, "Release"))
}
