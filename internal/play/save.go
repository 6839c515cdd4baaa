package play

import "errors"

// Save returns the run as a file: its name and its text. As is "scenario", "test" or "svg".
func (p *Play) Save(as string) (name, text string, err error) { return "", "", errors.New("to do") }
