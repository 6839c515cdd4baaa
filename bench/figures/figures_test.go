package main

import (
	"bytes"
	"io"
	"log"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	pages "example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/measure/jsonfile"
	"example.org/doorway/internal/tier"
)

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal  goal
		value float64
		want  string
	}{
		{goal{"≤", 2.5}, 2.5, "yes"},
		{goal{"≤", 2.5}, 2.51, "**no**"},
		{goal{"≥", 1.1}, 1.1, "yes"},
		{goal{"≥", 1.1}, 1.09, "**no**"},
		{goal{"<", 1}, 1, "**no**"},
		{goal{}, 7, ""},
	} {
		of := row{"", c.goal, func() figure { return figure{Spread: measure.Spread{Median: c.value}} }}
		got := measureAll([]row{of}, log.New(io.Discard, "", 0))
		assert.Equal(t, c.want, got[0].Reached, "%q of %v", c.goal, c.value)
	}
}

// Runs all rows except those that take seconds, as briefly as possible: in the quick tests one
// of each ten, and those of kinds that have few.
func TestRowsMeasure(t *testing.T) {
	rare := regexp.MustCompile(`LockContext| less |allocations`)
	run := func(k int, window time.Duration) figure { return planned(1, window).rows()[k].run() }
	for k, r := range planned(1, 0).rows() {
		if k%tier.Pick(10, 1) != 0 && !rare.MatchString(r.name) || strings.Contains(r.name, "in a second") || strings.Contains(r.name, " ms") {
			continue
		}
		window := tier.Pick[time.Duration](1, 2) * time.Millisecond
		f := run(k, window)
		for ; !plausible(r, f) && window < 200*time.Millisecond; f = run(k, window) {
			window *= 2 // other programs had both cores
		}
		assert.True(t, plausible(r, f), "%s: %+v", r.name, f)
	}
}

func planned(windows int, window time.Duration) plan {
	return plan{effort{windows, window}, map[[2]int64]*contest{}}
}

// plausible reports whether f is in range: a ratio positive, a difference finite,
// a count at least 0.
func plausible(r row, f figure) bool {
	low, high := 0.0, math.MaxFloat64
	switch {
	case strings.Contains(r.name, " / "):
		low = math.SmallestNonzeroFloat64
	case strings.Contains(r.name, " less "):
		low = -high
	}
	return f.note != "" && f.windows != "" && low <= f.Low && f.Low <= f.Median && f.Median <= f.High && f.High <= high
}

// The rows and the table of choice relate the same windows, round by round.
func TestContest(t *testing.T) {
	all := planned(3, time.Millisecond)
	c := all.contest(8, section)
	theirs, ours := &point{N: 8, Section: section}, &point{N: 8, Section: section}
	c.points = map[string]*point{"channel": theirs, queue: ours}
	theirs.PerSecond, ours.PerSecond = samples{1e6, 2e6, 3e6}, samples{2e6, 6e6, 3e6}
	f := all.contest(8, section).row(queue, throughput, "channel", goal{}).run()
	assert.Equal(t, figure{measure.Spread{Low: 1, Median: 2, High: 3}, "3 / 2 M a second", "3 rounds of 1ms"}, f)
	assert.Equal(t, measure.SpreadOf(ours.PerSecond), measure.SpreadOf(ours.condensed().PerSecond))
}

// Every lock of the table of choice has every contest: 2 sections, each of 4 numbers of goroutines.
func TestChoice(t *testing.T) {
	for _, c := range planned(1, time.Millisecond).choice(log.New(io.Discard, "", 0)) {
		assert.Len(t, c.Points, 2*4, c.Name)
		for _, p := range c.Points {
			assert.LessOrEqual(t, p.P50[1], p.Longest[1], "%s, %d goroutines, %v", c.Name, p.N, p.Section)
		}
	}
}

// Nothing in the stored data took a second.
func TestSeconds(t *testing.T) { assert.Equal(t, "2 s", seconds(2)) }

// If a window timed too few entries, the line of the chart has a gap: in the stored data none
// of the swept has.
func TestNoTailOfFewEntries(t *testing.T) {
	var all []curve
	for _, name := range swept {
		c := curve{Name: name}
		for k, n := range goroutines {
			p := point{N: n, P999: samples{1e-6}, few: k == 2}
			c.Points = append(c.Points, p.condensed())
		}
		all = append(all, c)
	}
	svg := page{Sweep: all}.plot(quantities[1]).SVG()
	if bytes.Contains(svg, []byte("NaN")) || bytes.Count(svg, []byte(" M400.0,")) != len(swept) {
		t.Errorf("want a gap in each line of\n%s", svg)
	}
}

//go:generate go test . -run PageIsDrawn -update

// The page and its charts are those of the stored data.
func TestPageIsDrawnFromItsData(t *testing.T) {
	const docs = "../../docs"
	p, err := load(docs)
	require.NoError(t, err)
	for name, want := range p.files() {
		pages.Golden(t, filepath.Join(docs, name), "go generate ./bench/figures", string(want))
	}
	want, err := jsonfile.Encode(p)
	require.NoError(t, err)
	pages.Golden(t, filepath.Join(docs, dataFile), "go run ./bench/figures -report docs", string(want))
}

// NaN, which JSON does not have, survives being stored.
func TestStoredPageIsTheSame(t *testing.T) {
	want := page{
		Command: "go run ./bench/figures", Effort: effort{Windows: 3, Window: time.Millisecond},
		Figures:     []measured{{"cost", "≤ 2", "yes", samples{math.NaN(), 1.5, 3}, "15 / 10 ns", "5 of 1s"}},
		Uncontended: []cost{{Name: "bakery", Own: samples{1, 2}}},
		Sweep:       []curve{{Name: "bakery", Points: make([]point, len(goroutines))}},
	}
	dir := t.TempDir()
	require.NoError(t, jsonfile.Write(filepath.Join(dir, dataFile), want))
	got, err := load(dir)
	require.NoError(t, err)
	for name, content := range want.files() {
		assert.Equal(t, string(content), string(got.files()[name]), name)
	}
}
