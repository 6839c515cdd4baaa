package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"example.org/doorway/internal/measure"
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
		if len(c.Points) > len(goroutines) {
			return page{}, fmt.Errorf("%s: %s has %d points, want at most %d", dataFile, c.Name, len(c.Points), len(goroutines))
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

// A storedFigure is a measured row as JSON.
type storedFigure struct {
	Name    string  `json:"name"`
	Goal    string  `json:"goal,omitempty"`
	Reached string  `json:"reached,omitempty"`
	Spread  samples `json:"spread"` // the 10th percentile, the median, the 90th percentile
	Note    string  `json:"note,omitempty"`
	Windows string  `json:"windows"`
}

// MarshalJSON implements json.Marshaler.
func (m measured) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedFigure{m.name, m.goal, m.reached, samples{m.Low, m.Median, m.High}, m.note, m.windows})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *measured) UnmarshalJSON(data []byte) error {
	var s storedFigure
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if len(s.Spread) != 3 {
		return fmt.Errorf("%s: the spread has %d values, want 3", s.Name, len(s.Spread))
	}
	*m = measured{s.Name, s.Goal, s.Reached, figure{measure.Spread{Low: s.Spread[0], Median: s.Spread[1], High: s.Spread[2]}, s.Note, s.Windows}}
	return nil
}
