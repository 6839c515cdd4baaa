// Package play runs an algorithm step by step for a person who chooses what happens next: nodes that pass messages, or
// the processes of a lock. It has all the logic of the page, and knows no browser: what is to be shown is a [View].
//
// A run is a text, which the address of the page holds. Of nodes it is that of a scenario, as package sim has it; of a
// lock, likewise,
//
//	version 1; processes 2; lock bakery/late-number; cap 4; rules 5f3a9c21; run 0.1.1.0
//
// where each number is a step as in explore.Trace.Schedule. In front may be a line "challenge NAME;" or "opening NAME;".
// A text without a run, "nodes 3; algorithm maekawa", begins one. So does the name of an algorithm alone.
package play

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// A Play is a run under way. It is not safe for concurrent use.
type Play struct {
	game game
	key  int
	lead lead
	of   string // the directives of the run, but for its version, rules and choices

	made   []string // the choices
	kept   []string // those that were taken back, the last of them first
	events []Event  // so far

	solved int // after how many choices the challenge was solved first; 0: it is not

	refused, again string
}

// A game is a run of nodes, or of the processes of a lock.
type game interface {
	run() Run               // what does not change; Play sets Key, Title and Caption
	choose(do string) error // makes a choice; or says why it cannot be made, and changes nothing
	settle()                // what is changed now is not by the last choice, which is the next
	undo(n int) error       // takes back the last n choices
	fresh() []Event         // those since it was called last; Play sets Choice in them
	transit() int           // how many messages are in transit
	show(v *View)           // sets in v what Play does not: Members, Choices, Blocked, Verdict, Waits and what follows those
	text() (string, error)  // the run as a text for Open, without what is in front of it

	// The run as a file: a scenario, a Go test, a picture. Title says what the run is.
	scenario() (string, error)
	test(title string) (string, error)
	picture(title string) (string, error)
}

// An outdated run was made by other rules than those of today, or is of another version.
type outdated string

func (o outdated) Error() string { return string(o) }

// usual is what an empty text opens, or one that opens nothing.
const usual = "nodes 3; algorithm ricartagrawala"

var opening atomic.Int64 // counts what was opened

// Open opens the text of a run, within the limits below. It always returns a Play: if the text is wrong, what
// stands before the mistake is played, and View.Refused names that.
func Open(text string) *Play {
	p := &Play{key: int(opening.Add(1)), events: []Event{}}
	err := p.open(text)
	if p.game == nil {
		p.lead = lead{}
		if wrong := p.open(usual); wrong != nil {
			panic(wrong) // this text is right
		}
	}
	if err != nil {
		p.refused = sentence(err)
	}
	return p
}

func (p *Play) open(text string) error {
	directives, err := read(text)
	if err == nil {
		directives, err = p.begin(directives)
	}
	if err != nil {
		return err
	}
	choices, _ := value(directives, "run")
	again := strings.Join(without(directives, "version", "rules"), "; ")
	version, given := value(directives, "version")
	if given && version != "1" {
		directives = without(directives, "version", "rules")
	}
	if isLock(directives) {
		p.game, err = openLock(directives)
	} else {
		p.game, err = openNodes(directives)
	}
	if err == nil && given && version != "1" {
		err = outdated(fmt.Sprintf("this run is of version %s, and the page plays version 1", version))
	}
	if errors.As(err, new(outdated)) {
		p.again = p.lead.String() + again
	}
	if p.game == nil {
		return err
	}
	p.of = strings.Join(without(directives, "version", "rules", "run"), "; ")
	p.note()
	if err == nil {
		err = p.choose(choices)
	}
	if err == nil {
		p.kept = p.lead.follows(p.of, p.made)
	}
	return err
}

// begin takes what stands before a run from the directives, which are those of an opening, a challenge or an
// algorithm if there are no others.
func (p *Play) begin(directives []string) ([]string, error) {
	switch len(directives) {
	case 0:
		return read(usual)
	case 1:
		if text := beginning(directives[0]); text != "" {
			return read(text)
		}
	}
	kind, name, _ := strings.Cut(directives[0], " ")
	all, is := leads()[kind]
	if !is {
		return directives, nil
	}
	k := slices.IndexFunc(all, func(l lead) bool { return l.Name == name })
	if k < 0 {
		return nil, unknown(kind, name, all)
	}
	p.lead = all[k]
	if len(directives) > 1 {
		return directives[1:], nil
	}
	return read(strings.TrimPrefix(p.lead.Text, p.lead.String()))
}

func isLock(directives []string) bool { return has(directives, "processes") || has(directives, "lock") }

// Choose makes a choice, one of View.Choices or several with points between them. If one cannot be made, those before
// it are, and View.Refused says why.
func (p *Play) Choose(choices string) {
	p.refused, p.again = "", ""
	if err := p.choose(choices); err != nil {
		p.refused = sentence(err)
	}
}

func (p *Play) choose(choices string) error {
	all, err := split(choices)
	if full := p.full(); full != nil && len(all) > 0 {
		return full
	}
	for k, do := range all {
		if k == len(all)-1 {
			p.game.settle()
		}
		if refused := p.make(do); refused != nil {
			n := len(p.made)
			refused = fmt.Errorf("choice %d, %s, cannot be made: %w", n+1, do, refused)
			return cmp.Or(p.to(max(0, n-1)), p.to(n), refused) // the last one is made once more, for what it changes
		}
		if n := len(p.kept); n > 0 && p.kept[n-1] == do {
			p.kept = p.kept[:n-1]
		} else {
			p.kept = nil
		}
	}
	return err
}

// make makes one choice.
func (p *Play) make(do string) error {
	if err := p.full(); err != nil {
		return err
	}
	if err := p.game.choose(do); err != nil {
		return err
	}
	p.made = append(p.made, do)
	p.note()
	if p.lead.kind == "challenge" && p.solved == 0 && len(p.made) <= p.lead.Most {
		if v := p.now(); p.goal(&v).Solved {
			p.solved = len(p.made)
		}
	}
	return nil
}

// note notes the new events, which the last choice has caused; or the beginning, if there is none.
func (p *Play) note() {
	for _, e := range p.game.fresh() {
		e.Choice = len(p.made)
		p.events = append(p.events, e)
	}
}

// To goes back to the first n choices, or forward to n, by those that were taken back. Another choice than these
// forgets them.
func (p *Play) To(n int) {
	p.refused, p.again = "", ""
	n = max(0, min(n, len(p.made)+len(p.kept)))
	if err := p.to(n); err != nil {
		p.refused = sentence(err)
	}
}

func (p *Play) to(n int) error {
	if n < len(p.made) {
		last := max(0, n-1) // which is made once more, for what it changes
		if err := p.game.undo(len(p.made) - last); err != nil {
			return err
		}
		for _, do := range slices.Backward(p.made[last:]) {
			p.kept = append(p.kept, do)
		}
		p.made = p.made[:last]
		p.events = slices.DeleteFunc(p.events, func(e Event) bool { return e.Choice > last })
		if p.solved > last {
			p.solved = 0
		}
	}
	for len(p.made) < n {
		do := p.kept[len(p.kept)-1]
		if len(p.made) == n-1 {
			p.game.settle()
		}
		if err := p.make(do); err != nil {
			return fmt.Errorf("choice %d, %s, cannot be made again: %w", len(p.made)+1, do, err)
		}
		p.kept = p.kept[:len(p.kept)-1]
	}
	return nil
}

// View returns what is to be shown, with the events from the index since on; if there are fewer, with none.
func (p *Play) View(since int) View {
	since = max(0, min(since, len(p.events)))
	v := p.now()
	if since == 0 {
		v.Run = p.game.run()
		v.Run.Title, v.Run.Caption, v.Run.Checks = p.lead.Title, p.lead.Caption, checks(p.of)
	}
	v.Run.Key, v.Kept, v.Refused, v.Again = p.key, len(p.kept), p.refused, p.again
	v.Goal = p.goal(&v)
	v.From, v.Total, v.Events = since, len(p.events), slices.Clone(v.Events[since:])
	if n := len(p.kept); n > 0 {
		v.Forward = p.kept[n-1]
	}
	if k := slices.IndexFunc(v.Choices, func(c Choice) bool { return c.Group == next }); k >= 0 && v.Next == "" {
		v.Next = v.Choices[k].Do
	}
	if full := p.full(); full != nil {
		v.Choices, v.Next, v.Refused = []Choice{}, "", sentence(full)
	}
	return v
}

// now returns what the game shows, with all events.
func (p *Play) now() View {
	v := View{
		Made: len(p.made), Events: p.events, Members: []Member{}, Choices: []Choice{}, Blocked: []Block{}, Waits: []Wait{},
		Transit: []Transit{}, Costs: Costs{Kinds: []Amount{}}, Registers: []Register{},
	}
	p.game.show(&v)
	v.Verdict.Text = strings.ToUpper(v.Verdict.Text[:1]) + v.Verdict.Text[1:] // which is ASCII
	return v
}

// Text returns the run as a text for Open. It may take a second the first time.
func (p *Play) Text() string {
	text, err := p.game.text()
	if err != nil {
		p.refused = sentence(err)
	}
	return p.lead.String() + text
}

// longWord is one that only a text has that is not meant to be played.
var longWord = regexp.MustCompile(`(\S{40})\S+`)

// longest is how long a sentence may be, in bytes: it may quote a text, and list all algorithms.
const longest = 400

// sentence returns an error as a sentence, without what names packages. If it is too long, it ends behind an item of a list.
func sentence(err error) string {
	text := err.Error()
	for _, name := range []string{"sim: ", "explore: ", "catalog: ", "play: "} {
		text = strings.TrimPrefix(text, name)
	}
	text = longWord.ReplaceAllString(text, "$1…")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
		if k := strings.LastIndex(text, ", "); k > longest/2 {
			text = text[:k+len(", ")]
		}
		text += "…"
	}
	return text
}
