package main

import (
	"errors"
	"fmt"
)

// A result is a line of the verdict.
type result struct{ about, text string }

func (d *demo) note(about, format string, args ...any) {
	d.results = append(d.results, result{about, fmt.Sprintf(format, args...)})
}

// verdict prints the results, and returns an error if a promise is broken.
func (d *demo) verdict() error {
	c, w := d.resource.counter, d.resource.writes
	if c.Fenced != w.Fenced {
		d.broken = append(d.broken, "the counter has lost an update")
	}
	d.note("entries", "%d, and never two processes with a valid guard", d.entries)
	d.note("counter", "%d after %d acknowledged updates: lost %d", c.Fenced, w.Fenced, w.Fenced-c.Fenced)
	d.note("without its fence", "%d after %d acknowledged updates: lost %d", c.Unfenced, w.Unfenced, w.Unfenced-c.Unfenced)
	d.title("What was seen:")
	for _, r := range d.results {
		d.printf("  %-19s %s\n", r.about, r.text)
	}
	for _, b := range d.broken {
		d.printf("  BROKEN              %s\n", b)
	}
	if len(d.broken) > 0 {
		return errors.New("a promise is broken")
	}
	d.printf("All promises were kept.\n")
	return nil
}
