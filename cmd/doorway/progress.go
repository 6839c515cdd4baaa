package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// A progress shows on one line of a terminal how far a command is; elsewhere, and
// on a terminal that cannot erase, nothing.
type progress struct{ terminal io.Writer }

func newProgress(w io.Writer) *progress {
	if _, ok := terminal(w); !ok || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{w}
}

// terminal returns the file descriptor of w, if it is a terminal.
func terminal(w io.Writer) (fd int, ok bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// widthOf returns the width of output to w in columns: that of COLUMNS, or else what
// a terminal reports, and at least 80.
func widthOf(w io.Writer) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if fd, ok := terminal(w); ok && err != nil {
		width, _, _ = term.GetSize(fd)
	}
	return max(width, columns)
}

const eraseLine = "\r\x1b[K"

func (p *progress) show(format string, args ...any) {
	if p.terminal != nil {
		_, _ = fmt.Fprintf(p.terminal, eraseLine+format, args...) // no reason to stop
	}
}

func (p *progress) clear() { p.show("") }

// watch calls f, and shows the last line that f reported and for how long it has run.
// When ctx is done it returns the error of ctx, without waiting for f; if ctx is done
// already it does not call f.
func watch[T any](ctx context.Context, p *progress, f func(say func(string)) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type result struct {
		value T
		err   error
	}
	start, ended := time.Now(), make(chan result, 1)
	var last atomic.Value // a string
	go func() {
		v, err := f(func(line string) { last.Store(line) })
		ended <- result{v, err}
	}()
	defer p.clear()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case r := <-ended:
			return r.value, r.err
		case <-ctx.Done():
			return none, ctx.Err()
		case <-tick.C:
			if line, said := last.Load().(string); said {
				p.show("%.0f s, %s", time.Since(start).Seconds(), line)
			}
		}
	}
}
