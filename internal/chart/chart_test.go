package chart_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/chart"
)

// lines is a chart of lines that end at the same point, each with a theory that goes on.
func lines(names ...string) chart.Chart {
	c := chart.Chart{Title: "growth", X: "nodes", Y: "messages", Xs: []int{4, 100, 100_000}, Ticks: []int{100, 100_000}, Format: func(v float64) string { return fmt.Sprint(v) }}
	for _, name := range names {
		c.Lines = append(c.Lines, chart.Line{Name: name, Note: "ends: memory", Color: chart.Palette[0], Ys: []float64{3, 99}, Theory: []float64{3, 99, 99_999}})
	}
	return c
}

func TestTheoryGoesOn(t *testing.T) {
	svg := string(lines("a").SVG())
	assert.Equal(t, 2, strings.Count(svg, "<circle"), "marks: the theory has none")
	paths := regexp.MustCompile(`<path d="([^"]*)"`).FindAllStringSubmatch(svg, -1)
	require.Len(t, paths, 2)
	assert.True(t, strings.HasPrefix(paths[0][1], paths[1][1]), "the theory is under the line, and longer")
	assert.Contains(t, svg, ">100,000<")
	assert.NotContains(t, svg, ">4<", "no tick")
}

// Names and notes do not overlap, and are within the picture.
func TestNamesAreApart(t *testing.T) {
	long := "hierarchy-suzukikasami-ricartagrawala"
	svg := string(lines("a", "b", "c", "d", "e", "f", "g", "h", long).SVG())
	var last float64
	labels := regexp.MustCompile(`<text x="590.0" y="([\d.]+)"`).FindAllStringSubmatch(svg, -1)
	assert.Len(t, labels, 18)
	for _, m := range labels {
		y, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, y-last, 13.9)
		assert.Less(t, y, 460.0)
		last = y
	}
	width, err := strconv.Atoi(regexp.MustCompile(`width="(\d+)"`).FindStringSubmatch(svg)[1])
	require.NoError(t, err)
	assert.Greater(t, width, 590+8*len(long))
}
