package main

import (
	"fmt"
	"io"
	"os"
)

// A progress is one line on a terminal that says how far things are. On
// anything but a terminal it is nothing.
type progress struct{ terminal io.Writer }

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return &progress{}
	}
	if s, err := f.Stat(); err != nil || s.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{f}
}

const eraseLine = "\r\x1b[K"

func (p *progress) show(format string, args ...any) {
	if p.terminal != nil {
		_, _ = fmt.Fprintf(p.terminal, eraseLine+format, args...) // no reason to stop
	}
}

func (p *progress) clear() { p.show("") }
