package main

import (
	"bytes"
	"cmp"
	"fmt"
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
	"example.org/doorway/internal/spelling"
)

// The files of the page, in its directory.
const (
	dataFile = "growth.json" // what was measured; the page and its charts are drawn from it
	pageFile = "growth.md"
	charts   = "growth" // the directory of the charts
)

// A page has what the page of growth shows.
type page struct {
	Sizes  []int         `json:"sizes"`
	Curves []costs.Curve `json:"curves"`
}

// A class is a group of algorithms, which have charts of their own.
type class struct{ key, title, about string }

var classes = []class{
	{"permission", "Permission of all, or of a coordinator", "Each node asks all others, or a coordinator; in Carvalho and Roucairol's algorithm, those whose permission it lacks. " +
		"With thousands of nodes, nearly all requests are the first of their node, which asks all."},
	{"quorum", "Permission of a quorum", "Each node asks a quorum of about √N nodes, or with `majority` of N/2+1. Any two quorums have a node in common. At high load " +
		"nodes enter in the order of their numbers, and an arbiter of two successive nodes is mostly one of them. So the delay of `maekawa` and " +
		"`sanders` is near T here; over all pairs of 13 nodes it is 1.5 T."},
	{"token", "A token on a complete graph", "A node enters with the token; any node can send it to any other."},
	{"network", "A token on a ring, a tree or a graph", "Messages pass between neighbors only: of a ring, a balanced binary tree, or a sparse graph."},
	{"hierarchy", "Hierarchies", "About √N clusters of √N nodes, with an algorithm in each and one among them; a cluster hands over up to √N times before it lets another in."},
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
	theory           func(theory) map[costs.Load]formula
}

func messagesOf(c costs.Curve) jsonfile.Samples { return c.Messages }
func delayOf(c costs.Curve) jsonfile.Samples    { return c.Delay }

var quantities = []quantity{
	{"messages-low", "Messages per entry at low load", "messages per entry", costs.Low, messagesOf, func(t theory) map[costs.Load]formula { return t.messages }},
	{"messages-high", "Messages per entry at high load", "messages per entry", costs.High, messagesOf, func(t theory) map[costs.Load]formula { return t.messages }},
	{"response", "Response time at low load", "T from a request to the entry", costs.Low, delayOf, func(t theory) map[costs.Load]formula { return t.delay }},
	{"delay", "Synchronization delay at high load", "T from an exit to the next entry", costs.High, delayOf, func(t theory) map[costs.Load]formula { return t.delay }},
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

// draw writes the page and its charts to dir, from the data there, and in its directory all the
// charts that no page shows.
func draw(dir string) error {
	p, err := read(dir)
	if err != nil {
		return err
	}
	files := map[string][]byte{pageFile: p.text()}
	for name, picture := range p.drawn() {
		if !slices.Contains(shownCharts, name) {
			name = filepath.Join("all", name)
		}
		files[filepath.Join(charts, name)] = picture
	}
	return jsonfile.WriteAll(dir, files)
}

// text returns the page.
func (p page) text() []byte {
	var text bytes.Buffer
	text.WriteString(top)
	for _, c := range classes {
		if len(p.curvesOf(c, costs.Low)) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\n", c.title, c.about)
		p.table(&text, c)
	}
	return text.Bytes()
}

// shownCharts are the charts that pages show: git ignores the others.
var shownCharts = []string{"overview-messages-low.svg", "overview-messages-high.svg", "networks.svg"}

// drawn returns all charts by name: one for each table, those of the overview, and the networks.
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

const top = `# Growth

How the cost of the message-passing algorithms grows with the number of nodes N, in messages per entry and in T, the time of a
message. The nodes that you import ran in virtual time with fixed seeds:

    go run ./bench/growth -report docs

A critical section takes T, and timeouts are longer than any wait.

- **Low load**: one node requests at a time, drawn at random. There are 8N entries, at least 400, or at least 20 if these would
  take more than a million messages and more than 64N. The second half is measured. The response time is from the request to the
  entry.
- **High load**: every node requests again as soon as it has left, up to eight times, with the same limits. The synchronization delay
  is from an exit to the next entry.

A curve ends where its next point would take more than 10⁸ deliveries or 2 GiB of memory, which differs between machines. The
formula is that of the lectures, for requests by random nodes: d is the mean distance of two nodes, H(N) = 1 + 1/2 + … + 1/N.
[growth.json](growth.json) has more sizes, and ` + "`go generate ./bench/growth`" + ` draws charts of
all, into docs/growth/all. [Which algorithm when](which-algorithm.md) shows two of them.
`

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

// shown are the numbers of nodes in the tables; the charts and the data have more.
var shown = []int{16, 1024, 10_000, 100_000}

// table writes the table of a class: rows of each quantity, of which the first has its name.
func (p page) table(w *bytes.Buffer, c class) {
	fmt.Fprint(w, "| | algorithm | formula |")
	for _, n := range shown {
		fmt.Fprintf(w, " %s |", svg.Thousands(n))
	}
	fmt.Fprintf(w, " ends |\n|---|---|---|%s---|\n", strings.Repeat("---:|", len(shown)))
	for _, q := range quantities {
		var rows []string
		for _, cv := range p.curvesOf(c, q.load) {
			cells := []string{"`" + cv.Algorithm + "`", theoryOf(cv, q).text}
			for _, n := range shown {
				cell := ""
				if k := slices.Index(cv.Nodes, n); k >= 0 {
					cell = digits(q.of(cv)[k])
				}
				cells = append(cells, cell)
			}
			rows = append(rows, "| "+strings.Join(append(cells, ends(cv)), " | ")+" |\n")
		}
		merged, _ := spelling.Merged(rows)
		for k, row := range merged {
			fmt.Fprintf(w, "| %s %s", map[bool]string{true: strings.Replace(q.key, "-", ", ", 1)}[k == 0], row)
		}
	}
}

// theoryOf returns the formula of a curve; it has no text if there is none.
func theoryOf(c costs.Curve, q quantity) formula {
	t, ok := theories[c.Algorithm]
	if !ok {
		name, _, _ := strings.Cut(c.Algorithm, "-")
		t = theories[name]
	}
	return q.theory(t)[q.load]
}

func (p page) plot(c class, q quantity) svg.Chart {
	t := svg.Chart{
		Title: q.title, Note: c.title + "; thin and dashed: the formula",
		X: "nodes", Xs: p.Sizes, Ticks: []int{10, 100, 1000, 10_000, 100_000},
		Y: q.axis, Format: short,
	}
	for k, cv := range p.curvesOf(c, q.load) {
		l := svg.Line{Name: cv.Algorithm, Color: svg.Palette[k%len(svg.Palette)], Dashed: k >= len(svg.Palette), Ys: q.of(cv)}
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
