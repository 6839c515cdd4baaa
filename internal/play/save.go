package play

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Save returns the run as a file: its name and its text. As is "scenario", "test" or "svg".
func (p *Play) Save(as string) (name, text string, err error) {
	var b strings.Builder
	end := ""
	switch as {
	case "scenario":
		end, err = ".txt", p.game.writeScenario(&b)
	case "test":
		end, err = "_test.go", p.game.writeTest(&b, p.title())
	case "svg":
		end, err = ".svg", p.game.draw(&b, p.lead.Title)
	default:
		err = fmt.Errorf("a run is saved as a scenario, test or svg, not as %q", as)
	}
	if err != nil {
		return "", "", errors.New(sentence(err))
	}
	return p.file() + end, b.String(), nil
}

// file returns the name of a file with the run, without its end.
func (p *Play) file() string {
	name := p.lead.name
	if name == "" {
		name = p.game.run().Algorithm
	}
	return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(name)
}

// writeScenario writes the run as a file for doorway run, which expects what it comes to.
func (g *cluster) writeScenario(w io.Writer) error {
	s, output, err := g.saved("show events entries messages")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, s.Directives+"----\n"+output)
	return err
}

// saved returns the run as a scenario with more directives, without those that have no effect on the run so
// far, and its output.
func (g *cluster) saved(more ...string) (s *sim.Scenario, output string, err error) {
	text, err := g.text()
	if err != nil {
		return nil, "", err
	}
	lines, err := read(text)
	if err != nil {
		return nil, "", err
	}
	isShow := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "show ") } // of a file that was opened
	for lines = append(slices.DeleteFunc(lines, isShow), more...); ; {
		if s, err = sim.ReadScenario("", strings.NewReader(strings.Join(lines, "\n")+"\n")); err != nil {
			return nil, "", err
		}
		var b strings.Builder
		_, err = s.Run(&b, lookup(s))
		k := withoutEffect(err, lines)
		if k < 0 {
			return s, b.String(), err
		}
		lines = slices.Delete(lines, k, k+1)
	}
}

// lookup returns what finds the algorithm of a scenario.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(of sim.Setting) (messaging.Algorithm, error) { return new(cluster).lookup(s, of) }
}

// withoutEffect returns which of the directives an error says has no effect on messages; -1: it says something else.
func withoutEffect(err error, directives []string) int {
	if err == nil {
		return -1
	}
	line, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), ":"), ": ")
	n, bad := strconv.Atoi(line)
	if bad != nil || n < 1 || n > len(directives) || !strings.HasPrefix(why, "expected messages") {
		return -1
	}
	return n - 1
}

// title says what the run is.
func (p *Play) title() string {
	run := p.game.run()
	if p.lead.Title != "" {
		return fmt.Sprintf("%s (%s)", p.lead.Title, run.Algorithm)
	}
	return run.Algorithm
}

// draw draws the space-time diagram of the run.
func (g *cluster) draw(w io.Writer, title string) error {
	s, _, err := g.saved("show events")
	if err != nil {
		return err
	}
	run, err := spacetime.OfScenario(title, s, lookup(s))
	if err != nil {
		return err
	}
	return run.WriteSVG(w)
}
