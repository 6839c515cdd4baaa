package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
)

// A goal is a bound that a figure should reach; the zero value is no goal.
type goal struct {
	text    string
	reached func(v float64) bool
}

func atMost(bound float64) goal {
	return goal{fmt.Sprintf("≤ %v", bound), func(v float64) bool { return v <= bound }}
}

func atLeast(bound float64) goal {
	return goal{fmt.Sprintf("≥ %v", bound), func(v float64) bool { return v >= bound }}
}

func below(bound float64) goal {
	return goal{fmt.Sprintf("< %v", bound), func(v float64) bool { return v < bound }}
}

// stretch is a goal that is desirable, not required.
func stretch(bound float64) goal {
	g := atLeast(bound)
	g.text = "stretch " + g.text
	return g
}

func (g goal) verdict(v float64) string {
	switch {
	case g.reached == nil || math.IsNaN(v):
		return ""
	case g.reached(v):
		return "yes"
	default:
		return "**no**"
	}
}

// A measured row, as the page shows it.
type measured struct {
	name    string
	goal    string
	reached string // yes, **no**, or empty without a goal
	figure
}

func measureAll(rows []row, e effort, progress *log.Logger) []measured {
	done := make([]measured, len(rows))
	for k, r := range rows {
		progress.Printf("%2d/%d  %s", k+1, len(rows), r.name)
		f := r.run(e)
		done[k] = measured{r.name, r.goal.text, r.goal.verdict(f.Median), f}
		progress.Printf("       %v", f.Spread)
	}
	return done
}

func writeFigures(w *bytes.Buffer, figures []measured) {
	fmt.Fprintln(w, "| measure | goal | median | 10 % to 90 % | reached | medians | windows |")
	fmt.Fprintln(w, "|---|---|---:|---:|---|---|---|")
	for _, m := range figures {
		fmt.Fprintf(w, "| %s | %s | %s | %s to %s | %s | %s | %s |\n",
			m.name, m.goal, known(m.Median), known(m.Low), known(m.High), m.reached, m.note, m.windows)
	}
}

// known returns v with three digits, or a dash for NaN.
func known(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.3g", v)
}
