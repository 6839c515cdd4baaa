package main

import (
	"fmt"
	"path/filepath"

	"example.org/doorway/internal/record"
)

// dataFile has what was measured; the page and its charts are drawn from it.
const dataFile = "results.json"

// load returns the page whose data is in dir.
func load(dir string) (p page, err error) {
	if err := record.Read(filepath.Join(dir, dataFile), &p); err != nil {
		return page{}, err
	}
	for _, c := range p.Sweep {
		if len(c.Points) != len(goroutines) {
			return page{}, fmt.Errorf("%s: %s has %d points, want %d", dataFile, c.Name, len(c.Points), len(goroutines))
		}
	}
	return p, nil
}

// draw writes the page and its charts to dir, from the data there.
func draw(dir string) error {
	p, err := load(dir)
	if err != nil {
		return err
	}
	return record.WriteAll(dir, p.files())
}

// Samples are measured values, window by window.
type samples = record.Samples
