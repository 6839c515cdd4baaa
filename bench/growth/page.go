package main

import (
	"cmp"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/measure/jsonfile"
)

// The files, in their directory.
const (
	dataFile = "growth.json" // what was measured; the table and the charts are made from it
	charts   = "growth"      // the directory of the charts
)

// A page has what docs/which-algorithm.md shows of growth.
type page struct {
	Sizes  []int         `json:"sizes"`
	Curves []costs.Curve `json:"curves"`
}

// A class is a group of algorithms, which have charts of their own.
type class struct{ key, title string }

var classes = []class{
	{"permission", "Permission of all, or of a coordinator"},
	{"quorum", "Permission of a quorum"},
	{"token", "A token on a complete graph"},
	{"network", "A token on a ring, a tree or a graph"},
	{"hierarchy", "Hierarchies"},
}

// overview are the charts of docs/which-algorithm.md, with one algorithm of each kind.
var overview = class{key: "overview", title: "One algorithm of each kind"}

var overviewed = []string{"lamport", "ricartagrawala", "suzukikasami", "maekawa", "raymond", "naimitrehel", "central", "tokenring"}

// classOf returns the key of the class of an algorithm.
func classOf(p catalog.Protocol) string {
	pkg := packageOf(p)
	group := filepath.Base(filepath.Dir(pkg))
	switch {
	case group == "hybrid":
		return "hierarchy"
	case slices.ContainsFunc(catalog.Protocols, func(q catalog.Protocol) bool { return q.Given != nil && packageOf(q) == pkg }):
		return "quorum"
	case p.Over != nil || strings.HasSuffix(filepath.Base(pkg), "ring"):
		return "network"
	}
	return group
}

// packageOf returns the import path of the messages of p.
func packageOf(p catalog.Protocol) string { return reflect.TypeOf(p.Kinds[0]).PkgPath() }

// A quantity is shown over the number of nodes.
type quantity struct {
	key, title, axis string
	load             costs.Load
	of               func(costs.Curve) jsonfile.Samples
	theory           func(theory) formula
}

func messagesOf(c costs.Curve) jsonfile.Samples { return c.Messages }
func delayOf(c costs.Curve) jsonfile.Samples    { return c.Delay }

var quantities = []quantity{
	{"messages-low", "Messages per entry at low load", "messages per entry", costs.Low, messagesOf, func(t theory) formula { return t.low }},
	{"messages-high", "Messages per entry at high load", "messages per entry", costs.High, messagesOf, func(t theory) formula { return t.high }},
	{"response", "Response time at low load", "T from a request to the entry", costs.Low, delayOf, func(t theory) formula { return t.response }},
	{"delay", "Synchronization delay at high load", "T from an exit to the next entry", costs.High, delayOf, func(t theory) formula { return t.delay }},
}

// put adds a curve, or replaces the one of the same algorithm and load. Curves are in the
// order of the catalog.
func (p *page) put(c costs.Curve) {
	p.Curves = slices.DeleteFunc(p.Curves, func(old costs.Curve) bool { return old.Algorithm == c.Algorithm && old.Load == c.Load })
	p.Curves = append(p.Curves, c)
	place := func(c costs.Curve) int {
		return slices.IndexFunc(catalog.Protocols, func(a catalog.Protocol) bool { return a.Name == c.Algorithm })
	}
	slices.SortStableFunc(p.Curves, func(a, b costs.Curve) int { return cmp.Compare(place(a), place(b)) })
}

// read returns the page whose data is in dir.
func read(dir string) (p page, err error) {
	err = jsonfile.Read(filepath.Join(dir, dataFile), &p)
	return p, err
}

// draw writes the charts to dir, from the data there, and in a directory of its own all the charts
// that no page shows.
func draw(dir string) error {
	p, err := read(dir)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for name, picture := range p.drawn() {
		if !slices.Contains(shownCharts, name) {
			name = filepath.Join("all", name)
		}
		files[filepath.Join(charts, name)] = picture
	}
	return jsonfile.WriteAll(dir, files)
}

// shownCharts are the charts that pages show: git ignores the others.
var shownCharts = []string{"overview-messages-low.svg", "overview-messages-high.svg", "networks.svg"}

// drawn returns all charts by name: those of each class and of the overview, and the networks.
func (p page) drawn() map[string][]byte {
	all := map[string][]byte{"networks.svg": drawNetworks()}
	for _, c := range append(slices.Clone(classes), overview) {
		if len(p.curvesOf(c, costs.Low)) == 0 {
			continue
		}
		for _, q := range quantities {
			all[c.key+"-"+q.key+".svg"] = p.plot(c, q).SVG()
		}
	}
	return all
}

// curvesOf returns the curves of a class under a load.
func (p page) curvesOf(c class, l costs.Load) (all []costs.Curve) {
	for _, cv := range p.Curves {
		row, ok := catalog.FindProtocol(cv.Algorithm)
		if cv.Load == l && (ok && classOf(row) == c.key || c.key == overview.key && slices.Contains(overviewed, cv.Algorithm)) {
			all = append(all, cv)
		}
	}
	return all
}

// theoryOf returns the formula of a curve; it has no text if there is none.
func theoryOf(c costs.Curve, q quantity) formula {
	t, ok := theories[c.Algorithm]
	if !ok {
		name, _, _ := strings.Cut(c.Algorithm, "-")
		t = theories[name]
	}
	return q.theory(t)
}

func (p page) plot(c class, q quantity) svg.Chart {
	t := svg.Chart{
		Title: q.title, Note: c.title + "; thin and dashed: the formula",
		X: "nodes", Xs: p.Sizes, Ticks: []int{10, 100, 1000, 10_000, 100_000},
		Y: q.axis, Format: short,
	}
	for k, cv := range p.curvesOf(c, q.load) {
		l := svg.Line{Name: cv.Algorithm, Color: svg.Palette[k%len(svg.Palette)][0], Dashed: k >= len(svg.Palette), Ys: q.of(cv)}
		if f := theoryOf(cv, q); f.text != "" {
			for _, n := range p.Sizes {
				l.Theory = append(l.Theory, f.of(float64(n)))
			}
			l.Note = f.text
		}
		if cv.Stop != nil {
			l.Note = strings.TrimPrefix(l.Note+"; ends: "+ends(cv), "; ")
		}
		t.Lines = append(t.Lines, l)
	}
	return t
}

// ends returns why a curve ends before the largest number of nodes.
func ends(c costs.Curve) string {
	switch {
	case c.Stop == nil:
		return ""
	case c.Stop.Why == "deliveries":
		return "10⁸ deliveries"
	case c.Stop.Why == "memory":
		return "2 GiB"
	}
	return c.Stop.Why
}

// digits returns v with three digits, or all those before the point.
func digits(v float64) string {
	if v >= 1000 {
		return svg.Thousands(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// short returns v with three digits: 30k for 29,997.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return digits(v/1e6) + "M"
	case v >= 1e4:
		return digits(v/1e3) + "k"
	}
	return digits(v)
}
