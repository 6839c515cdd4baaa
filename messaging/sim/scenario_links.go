package sim

import (
	"errors"
	"slices"
	"strings"

	"example.org/doorway/messaging/topology"
)

// The topologies that have a name.
var topologies = map[string]func(n int) topology.Graph{
	"complete": topology.Complete,
	"ring":     topology.Ring,
	"line":     topology.Line,
	"star":     topology.Star,
}

// topology reads: topology ring, topology tree 2, or topology grid 3.
func (p *parser) topology(l *line) {
	if p.linked > 0 {
		l.fail("expected one topology, but line %d has links already", p.linked)
	}
	switch {
	case l.accept("tree"):
		k := int(l.integer(1, mostNodes))
		if l.err == nil {
			p.setting.Links = topology.Tree(l.nodes, k)
		}
		return
	case l.accept("grid"):
		columns := int(l.integer(1, mostNodes))
		if l.err == nil && l.nodes%columns != 0 {
			l.fail("expected a number of columns that divides the number of nodes, %d, found %d", l.nodes, columns)
		}
		if l.err == nil {
			p.setting.Links = topology.Grid(l.nodes/columns, columns)
		}
		return
	}
	shape := take(l, "a topology: complete, line, ring, star, tree and the number of children, or grid and the number of columns", func(word string) (func(int) topology.Graph, bool) {
		shape, known := topologies[word]
		return shape, known
	})
	if l.err == nil {
		p.setting.Links = shape(l.nodes)
	}
}

// links reads: links S1 = S2 S3.
func (p *parser) links(l *line) {
	if before := p.given["topology"]; before > 0 {
		l.fail("expected one topology, but line %d has it already", before)
	}
	p.set(l, "links", &p.setting.Links)
	p.linked = p.line
}

// namedSets reads: sets plane.
func (p *parser) namedSets(l *line) {
	p.setting.Sets = l.name()
	p.checkSetsOnce(l)
}

// checkSetsOnce fails the line if there are sets by name and lists of them.
func (p *parser) checkSetsOnce(l *line) {
	if p.setting.Sets != "" && (p.setting.Request != nil || p.setting.Inform != nil) {
		l.fail("expected sets by name or a list of them, found both")
	}
}

// checkLinks returns an error with its line if there are links that are no topology.
func (p *parser) checkLinks() error {
	if p.linked == 0 {
		return nil
	}
	err := topology.Graph(p.setting.Links).Check()
	if err == nil {
		return nil
	}
	text, nodes := withNodeNames(strings.TrimPrefix(err.Error(), "topology: "))
	line := p.linked
	if len(nodes) > 0 {
		line = p.given[setOf("links", slices.Max(nodes))]
	}
	return p.errorAt(line, errors.New("expected links by which every node reaches every other, but "+text))
}
