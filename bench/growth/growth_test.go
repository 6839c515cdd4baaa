package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	pages "example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/measure/jsonfile"
	"example.org/doorway/internal/tier"
)

const (
	docs  = "../../docs"
	again = "go generate ./bench/growth"
)

//go:generate go test . -update

// The charts are those of the stored data. Of those that no page shows there is a digest.
func TestChartsAreDrawnFromTheData(t *testing.T) {
	p, err := read(docs)
	require.NoError(t, err)
	if pages.Updating() {
		require.NoError(t, draw(docs)) // also the charts that no page shows
	}
	sums := ""
	drawn := p.drawn()
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		if !slices.Contains(shownCharts, name) {
			sums += fmt.Sprintf("%s %.8x\n", name, sha256.Sum256(drawn[name]))
			continue
		}
		pages.Golden(t, filepath.Join(docs, charts, name), again, string(drawn[name]))
	}
	pages.Golden(t, "testdata/digests.txt", again, sums)
	there, err := filepath.Glob(filepath.Join(docs, charts, "*.svg"))
	require.NoError(t, err)
	assert.Len(t, there, len(shownCharts), "a chart that no page shows")
	want, err := jsonfile.Encode(p)
	require.NoError(t, err)
	pages.Golden(t, filepath.Join(docs, dataFile), "go run ./bench/growth -report docs", string(want))
}

// All algorithms are measured, under both loads.
func TestDataHasTheCatalog(t *testing.T) {
	tier.NeedsFull(t, "fails until a new algorithm is measured")
	p, err := read(docs)
	require.NoError(t, err)
	assert.Len(t, p.Curves, 2*len(catalog.Protocols))
	for _, a := range catalog.Protocols {
		measured := 0
		for _, c := range p.Curves {
			if c.Algorithm == a.Name {
				measured++
			}
		}
		assert.Equal(t, 2, measured, "curves of %s: go run ./bench/growth -report docs %s", a.Name, a.Name)
	}
}

// Measured again, the first points are the same.
func TestDataIsMeasuredAgain(t *testing.T) {
	p, err := read(docs)
	require.NoError(t, err)
	for _, c := range p.Curves {
		a, ok := catalog.FindProtocol(c.Algorithm)
		if !assert.True(t, ok, c.Algorithm) {
			continue
		}
		const first = 4
		again, _ := costs.Grown.Curve(a, c.Load, p.Sizes[:first])
		assert.Equal(t, c.Entries[:first], again.Entries, c.Algorithm)
		assert.InDeltaSlice(t, []float64(c.Messages[:first]), []float64(again.Messages), 1e-3, "%s at %s load: go run ./bench/growth -report docs %s", c.Algorithm, c.Load, c.Algorithm)
	}
}

// A curve that ends says why at its name, and the table has a dash.
func TestCurveSaysWhyItEnds(t *testing.T) {
	p := page{Sizes: []int{16, 32, 64}}
	for _, l := range []costs.Load{costs.High, costs.Low} {
		p.put(costs.Curve{
			Algorithm: "ricartagrawala", Load: l, Nodes: []int{16, 32}, Entries: []int{20, 20},
			Messages: []float64{30, 62}, Delay: []float64{2, 2}, Stop: &costs.Stop{Nodes: 64, Why: "deliveries"},
		})
		p.put(costs.Curve{
			Algorithm: "central", Load: l, Nodes: []int{16}, Entries: []int{20},
			Messages: []float64{2.25}, Delay: []float64{2}, Stop: &costs.Stop{Nodes: 32, Why: "serves no more: too many"},
		})
	}
	text, drawn := p.table(), p.drawn()
	assert.Contains(t, text, "| `central` | 2.25 | – | – | – | 2.25 | – | – | – | – | – |\n")
	assert.Contains(t, string(drawn["permission-messages-low.svg"]), ">2(N-1); ends: 10⁸ deliveries<")
	assert.Less(t, strings.Index(text, "`central`"), strings.Index(text, "`ricartagrawala`"), "the order of the catalog")
	assert.NotContains(t, text, "NaN")
	for name, content := range drawn {
		_, err := svg.Read(content)
		require.NoError(t, err, name)
		assert.NotContains(t, string(content), "NaN", name)
	}
}

// Formulas that are exact, or of the mean, are what was measured; 3√N is near it. A lower
// bound is not above it.
func TestTheory(t *testing.T) {
	p, err := read(docs)
	require.NoError(t, err)
	for _, c := range p.Curves {
		for _, q := range quantities {
			f := theoryOf(c, q)
			if q.load != c.Load || f.text == "" {
				continue
			}
			for k, n := range c.Nodes {
				least, most := 0.45, 1.3
				switch {
				case q.key != "response" && q.key != "delay" && constant[c.Algorithm]:
					least, most = 0.999, 1.001
				case strings.HasPrefix(f.text, "≥"):
					least = 0.999
					if n >= 64 {
						most = 1.1
					}
				case n >= 64 && exact[c.Algorithm]:
					least, most = 0.9, 1.1
				case strings.HasPrefix(c.Algorithm, "roucairolcarvalho"):
					most = 2.1 // nodes that enter for the first time hold no permission
				}
				ratio := q.of(c)[k] / f.of(float64(n))
				assert.True(t, least <= ratio && ratio <= most, "%s with %d nodes: %s is %.4g times %s", c.Algorithm, n, q.title, ratio, f.text)
			}
		}
	}
}

// exact are the algorithms whose formulas are exact, or of the mean.
var exact = map[string]bool{
	"central": true, "lamport": true, "ricartagrawala": true, "suzukikasami": true, "ricartagrawala1983": true,
	"naimitrehel": true, "raymond": true, "huntedring": true, "singhal": true,
	"intervals": true, "tokenring": true, "echo-tree": true,
}

// constant are the algorithms whose entries all take the same number of messages.
var constant = map[string]bool{"lamport": true, "ricartagrawala": true, "intervals": true}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	assert.Error(t, run(dir, []string{"central"}, log.New(io.Discard, "", 0)), "no data to keep")
	require.NoError(t, jsonfile.Write(filepath.Join(dir, dataFile), page{Sizes: []int{4, 8}}))
	assert.ErrorContains(t, run(dir, []string{"centre"}, log.New(io.Discard, "", 0)), "centre is no algorithm")
	require.NoError(t, run(dir, []string{"central"}, log.New(io.Discard, "", 0)))
	p, err := read(dir)
	require.NoError(t, err)
	require.Len(t, p.Curves, 2)
	assert.Equal(t, []int{4, 8}, p.Curves[0].Nodes)
	assert.FileExists(t, filepath.Join(dir, charts, "overview-messages-low.svg"))
}
