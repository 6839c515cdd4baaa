package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"example.org/doorway/internal/measure"
)

// twinsFile has what bench/c/run measured last: the locks beside their twins in C.
const twinsFile = "bench/c/results.md"

// twinRows returns the rows of locks for 8 processes beside their twins in C, without
// contention. They are not measured again.
func twinRows() []row {
	var rows []row
	for _, l := range []struct {
		name string
		goal goal
	}{{"lamportfast", atMost(1.05)}, {"bakery", atMost(1)}, {"tournament", atMost(0.8)}, {"bakery-blackwhite", atMost(1.3)}} {
		rows = append(rows, row{l.name + ", n = 8, uncontended, ns / the same in C", l.goal, func(effort) figure { return twin(l.name) }})
	}
	return rows
}

// twin returns the figure of a lock in twinsFile, or NaN if it has none.
func twin(name string) figure {
	text, _ := os.ReadFile(twinsFile)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.TrimSpace(cells[1]) != name || strings.TrimSpace(cells[2]) != "8" {
			continue
		}
		var ours, theirs, ratio measure.Spread
		_, err := fmt.Sscanf(strings.Join(cells[3:6], " "), "%g (%g to %g) %g (%g to %g) %g (%g to %g)",
			&ours.Median, &ours.Low, &ours.High, &theirs.Median, &theirs.Low, &theirs.High, &ratio.Median, &ratio.Low, &ratio.High)
		if err == nil {
			return figure{ratio, fmt.Sprintf("%.1f / %.1f ns", ours.Median, theirs.Median), "[" + twinsFile + "](../" + twinsFile + ")"}
		}
	}
	nothing := math.NaN()
	return figure{measure.Spread{Low: nothing, Median: nothing, High: nothing}, "", "none: no row in " + twinsFile}
}
