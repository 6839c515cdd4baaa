package play

import (
	"cmp"
	_ "embed" // the tests
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Save returns the run as a file: its name and its text. As is "scenario", "test" or "svg".
func (p *Play) Save(as string) (name, text string, err error) {
	algorithm, end := p.game.run().Algorithm, ""
	title := algorithm
	if p.lead.Title != "" {
		title = fmt.Sprintf("%s (%s)", p.lead.Title, algorithm)
	}
	switch as {
	case "scenario":
		end = ".txt"
		text, err = p.game.scenario()
	case "test":
		end = "_test.go"
		text, err = p.game.test(title)
	case "svg":
		end = ".svg"
		text, err = p.game.picture(p.lead.Title)
	default:
		err = fmt.Errorf("a run is saved as a scenario, test or svg, not as %q", as)
	}
	if err != nil {
		return "", "", errors.New(sentence(err))
	}
	return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(cmp.Or(p.lead.Name, algorithm)) + end, text, nil
}

// scenario returns the run as a file for doorway run, which expects what it comes to.
func (g *cluster) scenario() (string, error) {
	s, output, err := g.saved("show events entries messages")
	if err != nil {
		return "", err
	}
	return s.Directives + "----\n" + output, nil
}

// saved returns the run as a scenario that shows that, without directives that have no effect on the run so far, and its output.
func (g *cluster) saved(show string) (s *sim.Scenario, output string, err error) {
	text, err := g.text()
	if err != nil {
		return nil, "", err
	}
	lines, err := read(text)
	if err != nil {
		return nil, "", err
	}
	for lines = append(without(lines, "show"), show); ; { // the file that was opened may have another
		if s, err = sim.ReadScenario("", strings.NewReader(strings.Join(lines, "\n")+"\n")); err != nil {
			return nil, "", err
		}
		var b strings.Builder
		_, err = s.Run(&b, lookup(s))
		var line *notation.LineError
		if !errors.As(err, &line) || !line.Unused {
			return s, b.String(), err
		}
		lines = slices.Delete(lines, line.Line-1, line.Line)
	}
}

// lookup returns what finds the algorithm of a scenario.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(of sim.Setting) (messaging.Algorithm, error) { return new(cluster).lookup(s, of) }
}

// picture returns the space-time diagram of the run.
func (g *cluster) picture(title string) (string, error) {
	s, _, err := g.saved("show events")
	if err != nil {
		return "", err
	}
	run, err := spacetime.OfScenario(title, s, lookup(s))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = run.WriteSVG(&b)
	return b.String(), err
}

// nodesTest and lockTest are the tests that repeat a run.
var (
	//go:embed nodes_test.txt
	nodesTest string
	//go:embed lock_test.txt
	lockTest string
)

// test returns the run as a Go test, which repeats it and expects what it comes to.
func (g *cluster) test(title string) (string, error) {
	imports, lookup := importing("catalog", "messaging/sim"), "catalog.Scenario"
	if o, is := ownOf(g.of.Name); is {
		imported, call, err := o.called("of.Nodes")
		if err != nil {
			return "", err
		}
		imports = importing("messaging", "messaging/sim") + "\n" + imported
		lookup = "func(of sim.Setting) (messaging.Algorithm, error) {\n\t\treturn " + call + ", nil\n\t}"
	}
	switch {
	case g.of.Broken != nil:
		return "", fmt.Errorf("%s is wrong on purpose, so no program can import it: save the run as a scenario, which doorway run takes", g.of.Name)
	case g.system != nil: // whose inputs need more than its name
		return "", fmt.Errorf("package catalog makes no test of %s: save the run as a scenario, which doorway run takes", g.of.Name)
	}
	run, err := g.scenario()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(nodesTest, imports, title, literal(run), lookup), nil
}

// literal returns a text of several lines as Go has it. What nodes of one's own say may have backquotes.
func literal(text string) string { return "`" + strings.ReplaceAll(text, "`", "` + \"`\" + `") + "`" }

// importing returns the lines that import packages of the module.
func importing(packages ...string) (lines string) {
	for _, p := range packages {
		lines += "\t\"example.org/doorway/" + p + "\"\n"
	}
	return lines
}

func (l *lock) scenario() (string, error) {
	return "", errors.New("a scenario has nodes that pass messages: the run of a lock can be saved as a test or a picture")
}

// picture returns a lane for each process.
func (l *lock) picture(title string) (string, error) {
	t := *l.walk.Trace()
	t.Lock, t.Title = l.name, cmp.Or(t.Title, title, "a run of "+l.name)
	var b strings.Builder
	err := t.WriteSVG(&b)
	return b.String(), err
}

// test returns the run as a Go test, which takes its steps, and expects what is wrong and the phases of the processes at
// its end.
func (l *lock) test(title string) (string, error) {
	imported, call := importing(l.of.Package()), l.of.Import
	if o, is := ownOf(l.name); is {
		var err error
		if imported, call, err = o.called("n"); err != nil {
			return "", err
		}
	}
	if l.of.Broken != nil {
		return "", fmt.Errorf("%s is wrong on purpose, so no program can import it: Copy link keeps the run", l.name)
	}
	var phases []string
	for _, p := range l.walk.Pending() {
		phases = append(phases, fmt.Sprintf("%q", p.Place.Phase))
	}
	steps := strings.ReplaceAll(choices(l.walk.Trace().Schedule), ".", ", ")
	return fmt.Sprintf(lockTest, imported, title, call, l.processes, l.cap, l.giveUp, steps, fmt.Sprint(l.walk.Err()), strings.Join(phases, ", ")), nil
}
