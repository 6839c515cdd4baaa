// Package play runs an algorithm step by step for a person who chooses what happens next: nodes that pass messages, or
// the processes of a lock. It has all the logic of the page, and knows no browser: what is to be shown is a [View].
//
// A run is a text, which the address of the page holds. Of nodes it is that of a scenario, as package sim has it; of a
// lock, likewise,
//
//	version 1; processes 2; lock bakery/late-number; cap 4; rules 5f3a9c21; run 0.1.1.0
//
// where each number is a step as in explore.Trace.Schedule. In front may be a line "challenge NAME;" or "opening NAME;".
package play

// A Play is a run under way. It is not safe for concurrent use.
type Play struct{}

// Open opens the text of a run, within the limits below. It always returns a Play: if the text is wrong, what
// stands before the mistake is played, and View.Refused names that.
func Open(text string) *Play { panic("to do") }

// Choose makes a choice, one of View.Choices or several with points between them. If one cannot be made, those before
// it are, and View.Refused says why.
func (p *Play) Choose(choices string) { panic("to do") }

// To goes back to the first n choices, or forward to n, by those that were taken back. Another choice than these
// forgets them.
func (p *Play) To(n int) { panic("to do") }

// View returns what is to be shown, with the events from the index since on; if there are fewer, with none.
func (p *Play) View(since int) View { panic("to do") }

// Text returns the run as a text for Open. It may take a second the first time.
func (p *Play) Text() string { panic("to do") }

// Save returns the run as a file: its name and its text. As is "scenario", "test" or "svg".
func (p *Play) Save(as string) (name, text string, err error) { panic("to do") }

// Check checks every schedule of an algorithm as text opens it, and calls progress about once a second. It blocks until it is over.
func Check(text string, progress func(doing string, states int)) Checked { panic("to do") }

// List returns what can be opened.
func List() Catalog { panic("to do") }

// Add adds an algorithm of one's own: a constructor of a lock, func(n int) mutex.Mutex or the like, or of a protocol.
func Add(name string, constructor any) error { panic("to do") }
