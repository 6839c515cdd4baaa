package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if !isChild() {
		os.Exit(m.Run())
	}
}

// Each lock whose server is installed is entered by all its clients, of one process and of several.
func TestMeasure(t *testing.T) {
	servers, err := start(t.Context())
	require.NoError(t, err)
	defer servers.stop()
	const window = 50 * time.Millisecond
	r := &report{rounds: 1, window: window, versions: servers.versions, cells: map[cell][]measurement{}}
	wanted := regexp.MustCompile(`bare|central|raymond|nodes|etcd|redis`)
	for _, sh := range []shape{three, processes} {
		require.NoError(t, r.shape(t.Context(), servers, sh, wanted))
		for _, l := range locks {
			if wanted.MatchString(l.name) && servers.urls[l.server] != "" && l.in(sh) {
				c := cell{l.name, sh}
				require.Len(t, r.cells[c], 1, "%v", c)
				assert.Len(t, r.cells[c][0].Clients, 3, "%v", c)
				assert.Positive(t, r.rates(c)[0], "%v", c)
			}
		}
	}
	r.stalls, err = stalls(t.Context(), servers, 1)
	require.NoError(t, err)
	assert.NotEmpty(t, r.text())
}

// A measurement is in the order of its entries, whichever client had them.
func TestOrder(t *testing.T) {
	m := measurement{time.Second, [][]entry{{{1, 10e6}, {5, 50e6}}, {{2, 20e6}, {3, 30e6}}}}
	c := cell{"", three}
	r := report{cells: map[cell][]measurement{c: {m}}}
	assert.Equal(t, []float64{4}, r.rates(c))
	assert.Equal(t, []float64{2}, r.passes(c))
	assert.Equal(t, []float64{1}, r.share(c))
	assert.Equal(t, []float64{20}, r.waits(c, .5))
	assert.Equal(t, "2.5 (1.8–3.2)", spread("%.1f", []float64{4, 1, 2, 3}))
	assert.Equal(t, []float64{2}, ratios([]float64{4, 1}, []float64{2, 0, 3}))
}

// The page has what the program writes: the figures, and each lock in its shapes.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := &report{cells: map[cell][]measurement{}}
	for _, s := range shapes {
		_, table, _ := strings.Cut(string(page), "\n### "+s.String()+"\n")
		table, _, _ = strings.Cut(table, "###")
		for _, l := range locks {
			assert.Equal(t, l.in(s), strings.Contains(table, "\n| "+l.name+" | "), "%s, %v: run go run . -update", l.name, s)
		}
	}
	figures := shown.text()
	for line := range strings.Lines(figures[strings.Index(figures, "| figure"):]) {
		if name, _, is := strings.Cut(strings.TrimPrefix(line, "| "), " |"); is {
			assert.Contains(t, string(page), "\n| "+name+" |", "run go run . -update")
		}
	}
}

func TestInput(t *testing.T) {
	assert.EqualError(t, run(0, time.Second, "", false), "0 rounds of 1s: there must be at least 1, of at least 10ms")
	assert.EqualError(t, run(1, time.Millisecond, "", false), "1 rounds of 1ms: there must be at least 1, of at least 10ms")
	assert.ErrorContains(t, run(1, time.Second, "(", false), "-only: error parsing regexp")
	_, err := job{Lock: "none"}.open(t.Context())
	assert.EqualError(t, err, `there is no lock "none"`)
}
