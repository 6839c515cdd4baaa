package play

import (
	_ "embed" // the leads, and the counterexamples
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"example.org/doorway/examples/scenarios"
	"example.org/doorway/internal/catalog"
)

// A lead is what stands before a run in its text: "opening NAME" or "challenge NAME".
type lead struct {
	kind string // "": there is none
	Opening

	// Of an opening: the algorithm of a counterexample, or "" if the run is the scenario of that name; and after how many
	// choices it opens, as what follows is worth watching.
	Of    string
	Begin int

	// Of a challenge, which is a goal that a run reaches or not. Whoever plays chooses what happens; any run counts that is
	// one of these directives and keeps the limits: so many choices at most, and of the faults these, each once, by their
	// letters in the choices of a run.
	Run   string
	Most  int
	May   string
	Judge string // the name of one of judges
	Hint  string
}

func (l lead) String() string {
	if l.kind == "" {
		return ""
	}
	return l.kind + " " + l.Name + "; "
}

// The openings are those of the lectures, and runs that the checker has found, in the order in which the page has them; of the
// challenges the easy ones come first.
//
//go:embed leads.json
var leadsText []byte

// counterexamples are the runs of the openings that the checker has found, a line each.
//
//go:embed counterexamples.txt
var counterexamples string

// leads returns those that this build has, by kind.
var leads = sync.OnceValue(func() map[string][]lead {
	all := map[string][]lead{}
	if err := json.Unmarshal(leadsText, &all); err != nil {
		panic(err)
	}
	for kind, of := range all {
		for k := range of {
			directives, choices := of[k].run()
			if of[k].Of != "" {
				choices = strings.Join(strings.Split(choices, ".")[:of[k].Begin], ".")
			}
			of[k].kind = kind
			of[k].Text = strings.TrimSpace(fmt.Sprintf("%vversion 1; %s; run %s", of[k], directives, choices))
		}
		all[kind] = slices.DeleteFunc(of, func(l lead) bool { return !catalog.Variants && wrong.MatchString(l.Text) })
	}
	return all
})

// wrong matches a text that names an algorithm which is wrong.
var wrong = regexp.MustCompile(`\b(?:algorithm|lock) [^;]*/`)

// openings returns the leads of a kind as the page lists them.
func openings(kind string) []Opening {
	all := []Opening{}
	for _, l := range leads()[kind] {
		all = append(all, l.Opening)
	}
	return all
}

// run returns the run of l: of a scenario up to where it opens, and of a counterexample to its end.
func (l lead) run() (directives, choices string) {
	switch {
	case l.Run != "":
		return l.Run, ""
	case l.Of != "":
		return counterexample(l.Of)
	case l.Begin > 0:
		choices = fmt.Sprintf("s%d", l.Begin)
	}
	text, err := scenarios.Files.ReadFile(l.Name + ".txt")
	if err != nil {
		panic(err) // it is not embedded
	}
	all, err := read(string(text))
	if err != nil {
		panic(err) // it is longer than a page plays
	}
	return strings.Join(without(all, "show", "state", "expect"), "; "), choices
}

// counterexample returns that of an algorithm.
func counterexample(of string) (directives, choices string) {
	for line := range strings.Lines(counterexamples) {
		if strings.Contains(line, " "+of+";") {
			directives, choices, _ = strings.Cut(strings.TrimSpace(line), "; run ")
		}
	}
	return directives, choices
}

// follows returns the choices that follow those made in the run of an opening, the last of them first: they
// are there to go forward by. If the run has become another, there are none.
func (l lead) follows(directives string, made []string) []string {
	if l.Of == "" {
		return nil
	}
	of, choices := counterexample(l.Of)
	all := strings.Split(choices, ".")
	if of != directives || len(made) > len(all) || !slices.Equal(made, all[:len(made)]) {
		return nil
	}
	slices.Reverse(all[len(made):])
	return all[len(made):]
}

// goal returns that of the challenge that is played, judged on what v shows with all events; nil: none is. Once solved, it stays
// so however the run goes on.
func (p *Play) goal(v *View) *Goal {
	if p.lead.kind != "challenge" {
		return nil
	}
	g := &Goal{Name: p.lead.Name, Text: p.lead.Caption, Hint: p.lead.Hint}
	if p.solved > 0 && p.solved < len(p.made) {
		g.Solved, g.Why = true, fmt.Sprintf("After choice %d.", p.solved)
	} else if g.Why = p.breaks(); g.Why == "" {
		g.Solved, g.Why = judges[p.lead.Judge](p, v)
	}
	return g
}

// breaks says which rule of the challenge the run breaks; "": none.
func (p *Play) breaks() string {
	if p.of != p.lead.Run {
		return fmt.Sprintf("This challenge is about another run: %s.", p.lead.Run)
	}
	for _, f := range faults {
		n := 0
		for _, do := range p.made {
			n += strings.Count(do[:1], f.letter)
		}
		switch most := strings.Count(p.lead.May, f.letter); {
		case n <= most:
		case most == 0:
			return fmt.Sprintf("Not allowed in this challenge: %s.", f.words)
		default:
			return fmt.Sprintf("Allowed only once in this challenge: %s.", f.words)
		}
	}
	if len(p.made) > p.lead.Most {
		return fmt.Sprintf("At most %d choices are allowed, and these are %d.", p.lead.Most, len(p.made))
	}
	return ""
}

// faults are the choices that are faults, or requests withdrawn, by the letters with which they begin.
var faults = []struct{ letter, words string }{
	{"x", "a message is lost"},
	{"y", "a message is duplicated"},
	{"k", "a node crashes"},
	{"g", "a request is withdrawn"},
}
