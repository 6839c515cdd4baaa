package play

import "errors"

// What openings.go, challenge.go and save.go have.

func openings() []Opening { return []Opening{} }

func challenges() []Opening { return []Opening{} }

// goal returns that of the challenge that is played, which p.lead names; nil: none is.
func (p *Play) goal() *Goal { return nil }

// Save returns the run as a file: its name and its text. As is "scenario", "test" or "svg".
func (p *Play) Save(as string) (name, text string, err error) { return "", "", errors.New("to do") }
