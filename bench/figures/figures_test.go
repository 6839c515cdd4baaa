package main

import (
	"bytes"
	"io"
	"log"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/measure"
	pages "example.org/doorway/internal/page"
	"example.org/doorway/internal/record"
	"example.org/doorway/internal/tier"
)

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal  goal
		value float64
		want  string
	}{
		{atMost(2.5), 2.5, "yes"},
		{atMost(2.5), 2.51, "**no**"},
		{atLeast(1.1), 1.1, "yes"},
		{atLeast(1.1), 1.09, "**no**"},
		{below(1), 1, "**no**"},
		{goal{}, 7, ""},
	} {
		of := row{"", c.goal, func(effort) figure { return figure{Spread: measure.Spread{Median: c.value}} }}
		got := measureAll([]row{of}, effort{}, log.New(io.Discard, "", 0))
		assert.Equal(t, c.want, got[0].Reached, "%q of %v", c.goal.text, c.value)
	}
}

// Runs all rows except those that take seconds, as briefly as possible: in the quick tests one
// of each ten, and those of kinds that have few.
func TestRowsMeasure(t *testing.T) {
	t.Chdir("../..") // where the rows of the twins in C are read
	rare := regexp.MustCompile(`best FIFO lock, .*uncontended|bakery, n = 8, .* in C| less |allocations`)
	for k, r := range rows() {
		if k%tier.Pick(10, 1) != 0 && !rare.MatchString(r.name) || strings.Contains(r.name, "in a second") || strings.Contains(r.name, " ms") {
			continue
		}
		e := effort{Windows: 1, Window: tier.Pick[time.Duration](1, 2) * time.Millisecond}
		f := r.run(e)
		for ; !plausible(r, f) && e.Window < 200*time.Millisecond; f = r.run(e) {
			e.Window *= 2 // other programs had both cores
		}
		assert.True(t, plausible(r, f), "%s: %+v", r.name, f)
	}
}

// plausible reports whether f is in range: a ratio positive, a difference of shares
// between -1 and 1, a count at least 0, and all finite.
func plausible(r row, f figure) bool {
	low, high := 0.0, math.MaxFloat64
	switch {
	case strings.Contains(r.name, " / "):
		low = math.SmallestNonzeroFloat64
	case strings.Contains(r.name, " less "):
		low, high = -1, 1
	}
	return f.note != "" && f.windows != "" && low <= f.Low && f.Low <= f.Median && f.Median <= f.High && f.High <= high
}

// The best lock of a contest has the highest throughput; sync.Mutex has two halves, of
// which each has the median; a round relates what was measured in it.
func TestContest(t *testing.T) {
	e := effort{Windows: 3, Window: time.Millisecond}
	c := contend(8, section, append(ordered(8), "lamportfast")...)
	c.effort, c.results = e, map[string][]measure.Result{}
	for k, name := range c.locks {
		for round := range e.Windows {
			c.results[name] = append(c.results[name], measure.Result{Entries: uint64((round + 1) * (k + 1)), Elapsed: time.Second, CPU: time.Second})
		}
	}
	last := slices.Index(c.locks, "lamportfast") - 1 // the FIFO locks come before
	f := c.best(throughput, goal{}).run(e)
	want := float64(last+1) / float64(slices.Index(c.locks, "channel")+1)
	assert.Equal(t, measure.Spread{Low: want, Median: want, High: want}, f.Spread)
	assert.True(t, strings.HasPrefix(f.note, c.locks[last]+": "), f.note)
	assert.InDelta(t, 1/want, c.best(cpu, goal{}).run(e).Median, 1e-9)
	for _, half := range c.modes("lamportfast") {
		f := half.run(e)
		assert.Equal(t, "2 of 3 rounds of 1ms", f.windows)
		assert.InDelta(t, float64(last+2)/float64(slices.Index(c.locks, "sync.Mutex")+1), f.Median, 1e-9)
	}
}

// The rows of the twins in C have the figures of their page, or none.
func TestTwins(t *testing.T) {
	t.Chdir("../..")
	f := twin("lamportfast")
	assert.Positive(t, f.Low)
	assert.LessOrEqual(t, f.Low, f.Median)
	assert.LessOrEqual(t, f.Median, f.High)
	assert.True(t, math.IsNaN(twin("channel").Median), "channel has no twin")
	t.Chdir(t.TempDir())
	assert.True(t, math.IsNaN(twin("lamportfast").Median), "without the page")
}

// Nothing in the stored data took a second.
func TestSeconds(t *testing.T) { assert.Equal(t, "2 s", seconds(2)) }

// If a window timed too few entries, the line of the chart has a gap: in the stored data none
// of the plotted has.
func TestNoTailOfFewEntries(t *testing.T) {
	all := curves()
	for i := range all {
		for k := range all[i].Points {
			p := &all[i].Points[k]
			p.P999, p.Few = []float64{1e-6}, k == 2
		}
	}
	svg := page{Sweep: all}.plot(quantities[1]).SVG()
	if bytes.Contains(svg, []byte("NaN")) || bytes.Count(svg, []byte(" M")) != len(plotted) {
		t.Errorf("want a gap in each line of\n%s", svg)
	}
}

// The page and its charts are those of the stored data.
func TestPageIsDrawnFromItsData(t *testing.T) {
	const docs = "../../docs"
	p, err := load(docs)
	require.NoError(t, err)
	for name, want := range p.files() {
		pages.Golden(t, filepath.Join(docs, name), "go run ./bench/figures -redraw docs", string(want))
	}
	want, err := record.Encode(p)
	require.NoError(t, err)
	pages.Golden(t, filepath.Join(docs, dataFile), "go run ./bench/figures -report docs", string(want))
}

// NaN, which JSON does not have, survives being stored.
func TestStoredPageIsTheSame(t *testing.T) {
	want := page{
		Command: "go run ./bench/figures", Effort: effort{Windows: 3, Window: time.Millisecond},
		Figures:     []measured{{"cost", "≤ 2", "yes", samples{math.NaN(), 1.5, 3}, "15 / 10 ns", "5 of 1s"}},
		Uncontended: []cost{{Name: "bakery", Own: samples{1, 2}}},
		Sweep:       curves()[:1],
	}
	want.Sweep[0].Burnt = samples{math.NaN()}
	dir := t.TempDir()
	require.NoError(t, record.Write(filepath.Join(dir, dataFile), want))
	got, err := load(dir)
	require.NoError(t, err)
	for name, content := range want.files() {
		assert.Equal(t, string(content), string(got.files()[name]), name)
	}
}
