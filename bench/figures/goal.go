package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
)

// A goal is a bound that a figure should reach; the zero value is no goal.
type goal struct {
	sign  string // ≤, ≥ or <
	bound float64
}

func (g goal) String() string {
	if g.sign == "" {
		return ""
	}
	return fmt.Sprintf("%s %v", g.sign, g.bound)
}

func (g goal) verdict(v float64) string {
	reached, is := map[string]bool{"≤": v <= g.bound, "≥": v >= g.bound, "<": v < g.bound}[g.sign]
	switch {
	case !is || math.IsNaN(v):
		return ""
	case reached:
		return "yes"
	}
	return "**no**"
}

// A measured row, as the page shows it.
type measured struct {
	Name    string  `json:"name"`
	Goal    string  `json:"goal,omitempty"`
	Reached string  `json:"reached,omitempty"` // yes, **no**, or empty without a goal
	Spread  samples `json:"spread"`            // the 10th percentile, the median, the 90th percentile
	Note    string  `json:"note,omitempty"`
	Windows string  `json:"windows"`
}

func measureAll(rows []row, progress *log.Logger) []measured {
	done := make([]measured, len(rows))
	for k, r := range rows {
		progress.Printf("%2d/%d  %s", k+1, len(rows), r.name)
		f := r.run()
		done[k] = measured{r.name, r.goal.String(), r.goal.verdict(f.Median), samples{f.Low, f.Median, f.High}, f.note, f.windows}
		progress.Printf("       %v", f.Spread)
	}
	return done
}

func writeFigures(w *bytes.Buffer, figures []measured) {
	fmt.Fprintln(w, "| measure | goal | median | 10 % to 90 % | reached | medians |")
	fmt.Fprintln(w, "|---|---|---:|---:|---|---|")
	for _, m := range figures {
		worse := func(n measured) bool {
			a, _, several := strings.Cut(m.Name, " behind ")
			b, _, _ := strings.Cut(n.Name, " behind ")
			return several && a == b && n.Spread[1] > m.Spread[1]
		}
		if slices.ContainsFunc(figures, worse) {
			continue // the worst wait of a lock stands for all
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s to %s | %s | %s |\n",
			m.Name, m.Goal, known(m.Spread[1]), known(m.Spread[0]), known(m.Spread[2]), m.Reached, m.Note)
	}
}

// known returns v with three digits, or a dash for NaN.
func known(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.3g", v)
}
