package play

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"example.org/doorway/messaging"
)

// writeTest writes the run as a Go test, which repeats it and expects what is true at its end.
func (g *cluster) writeTest(w io.Writer, title string) error {
	imports, lookup := []string{quoted("catalog")}, "catalog.Scenario"
	if o, is := ownOf(g.of.Name); is {
		call, err := o.call("of.Nodes")
		if err != nil {
			return err
		}
		imports, lookup = []string{o.path(), quoted("messaging")}, "func(of sim.Setting) (messaging.Algorithm, error) {\n\t\treturn "+call+", nil\n\t}"
	}
	switch {
	case g.of.Broken != nil:
		return fmt.Errorf("%s is wrong on purpose, so no program can import it: save the run as a scenario, which doorway run takes", g.of.Name)
	case g.system != nil: // whose inputs need more than its name
		return fmt.Errorf("package catalog makes no test of %s: save the run as a scenario, which doorway run takes", g.of.Name)
	}
	s, _, err := g.saved(g.expectations()...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, nodesTest, importing(append(imports, quoted("messaging/sim")), "strings", "testing"), title, s.Directives, lookup)
	return err
}

const nodesTest = `package run_test

%s
// TestRun repeats a run of the page: %s.
func TestRun(t *testing.T) {
	const run = ` + "`%s`" + `
	scenario, err := sim.ReadScenario("run", strings.NewReader(run))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Run(t.Output(), %s); err != nil {
		t.Fatal(err)
	}
}
`

// expectations returns what is true at the end of the run, as directives.
func (g *cluster) expectations() (all []string) {
	var order []string
	for _, e := range g.seen {
		if e.Entry {
			order = append(order, g.members[e.Member].Name)
		}
	}
	if order != nil {
		all = append(all, "expect order "+strings.Join(order, " "))
	}
	if sent := g.costs().Messages; sent > 0 {
		all = append(all, fmt.Sprintf("expect %d messages", sent))
	}
	if failure := g.failure(); failure != "" {
		return append(all, "expect fails "+failure)
	}
	return append(all, "expect no failure")
}

// quoted returns the import of a package of the module.
func quoted(pkg string) string { return `"example.org/doorway/` + pkg + `"` }

// importing returns the declaration of imports, sorted as gofmt does it.
func importing(paths []string, standard ...string) string {
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) })
	var b strings.Builder
	for _, p := range standard {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	return fmt.Sprintf("import (\n%s\n\t%s\n)\n", b.String(), strings.Join(paths, "\n\t"))
}

// function returns the name of the constructor: example.com/mine.New.
func (o own) function() string { return runtime.FuncForPC(o.By.Pointer()).Name() }

// path returns the import of its package, as package own.
func (o own) path() string {
	name := o.function()
	last := strings.LastIndex(name, "/") + 1
	pkg, _, _ := strings.Cut(name[last:], ".")
	return `own "` + name[:last] + pkg + `"`
}

// call returns how a program makes it for n nodes or processes. It returns an error if the constructor is no function of a
// package.
func (o own) call(n string) (string, error) {
	name := o.function()
	_, name, _ = strings.Cut(name[strings.LastIndex(name, "/")+1:], ".")
	t := o.By.Type()
	switch {
	case strings.ContainsAny(name, ".[%"):
		return "", fmt.Errorf("the constructor of %s is no function of a package, which a test could call", o.Name)
	case t.NumIn() == 0:
		return "own." + name + "()", nil
	case t.In(0) == reflect.TypeFor[messaging.Start]():
		return "func(s messaging.Start) messaging.Node { return own." + name + "(s) }", nil
	}
	return "own." + name + "(" + n + ")", nil
}
