package main

import (
	"maps"
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
	r := &report{rounds: 1, versions: servers.versions, cells: map[cell][]result{}}
	wanted := regexp.MustCompile(`bare|central|raymond|nodes|etcd|redis`)
	for _, sh := range []shape{three, processes} {
		idle := func() (all []string) { // the locks without an entry
			for _, l := range locks {
				if c := (cell{l.name, sh}); wanted.MatchString(l.name) && servers.urls[l.server] != "" && l.in(sh) {
					require.Len(t, r.cells[c], 1, "%v", c)
					if r.values(c, rate)[0] == 0 {
						all = append(all, l.name)
					}
				}
			}
			return all
		}
		measure := func(window time.Duration) {
			maps.DeleteFunc(r.cells, func(c cell, _ []result) bool { return c.shape == sh })
			r.window = window
			require.NoError(t, r.shape(t.Context(), servers, sh, wanted))
		}
		measure(50 * time.Millisecond)
		for len(idle()) > 0 && r.window < 5*time.Second { // an entry of etcd waits for its disk
			measure(2 * r.window)
		}
		assert.Empty(t, idle(), "%v, in %v", sh, r.window)
		assert.Positive(t, r.values(cell{bare, sh}, share)[0], "each client of %v", sh)
	}
	r.stalls, err = stalls(t.Context(), servers, 1)
	require.NoError(t, err)
	assert.NotEmpty(t, r.text())
}

// A measurement is in the order of its entries, whichever client had them.
func TestResult(t *testing.T) {
	m := measurement{{0, 1, 10e6}, {0, 5, 50e6}, {1, 2, 20e6}, {1, 3, 30e6}}
	for clients, want := range map[int]result{2: {rate: 4, handovers: 2, share: 1, median: 25, p99: 49.4}, 3: {rate: 4, handovers: 2, median: 25, p99: 49.4}} {
		got := m.result(clients, time.Second)
		assert.InDeltaSlice(t, want[:], got[:], 1e-9)
	}
	assert.Equal(t, result{median: 1000, p99: 1000}, measurement{}.result(2, time.Second))
	assert.Equal(t, "2.5 (1.8–3.2)", spread("%.1f", []float64{4, 1, 2, 3}))
	x, y := cell{"x", three}, cell{"y", three}
	r := report{cells: map[cell][]result{x: {{4}, {1}}, y: {{2}, {0}, {3}}}}
	assert.Equal(t, []float64{2}, r.ratios(x, y, rate))
}

// The page has what the program writes: the figures, and each lock in its shapes.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := &report{}
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
	assert.EqualError(t, run(0, "", false), "0 rounds: there must be at least 1")
	assert.ErrorContains(t, run(1, "(", false), "-only: error parsing regexp")
	_, err := job{Lock: "none"}.open(t.Context())
	assert.EqualError(t, err, `there is no lock "none"`)
}
