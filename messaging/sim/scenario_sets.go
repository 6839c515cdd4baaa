package sim

import (
	"cmp"
	"errors"
	"reflect"
	"regexp"
	"strings"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// algorithmFor returns the algorithm, on the links of the scenario. An error
// of lookup gets the line that it is about: that of a set, of the links or of the timeouts, or that of the
// algorithm.
func (s *Scenario) algorithmFor(lookup lookup) (messaging.Algorithm, error) {
	algorithm, err := lookup(s.setting)
	if err != nil {
		return nil, s.refused(lookup, err)
	}
	if len(s.inputs) > 0 {
		err = s.readInputs(s.Kinds)
	}
	if algorithm != nil && s.setting.Links != nil {
		algorithm = messaging.On(s.setting.Links, algorithm)
	}
	if algorithm != nil && len(s.clocks) > 0 {
		algorithm = s.withClocks(algorithm)
	}
	return algorithm, err
}

// withClocks returns an algorithm whose nodes begin with the logical clocks of the scenario, if they have some.
func (s *Scenario) withClocks(algorithm messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		node := algorithm(start)
		at, given := s.clocks[start.Self]
		fields := reflect.Indirect(reflect.ValueOf(node))
		for k := range fields.NumField() {
			if field := fields.Field(k); given && field.Type() == reflect.TypeFor[messaging.Clock]() {
				field.SetUint(at)
				s.clocked.Add(start.Self)
			}
		}
		return node
	}
}

// refused adds the line to err, an error of lookup: that of the part of the setting without
// which there is none.
func (s *Scenario) refused(lookup lookup, err error) error {
	of := s.setting
	without := func(part func(of *Setting)) error {
		of := of
		part(&of)
		_, err := lookup(of)
		return err
	}
	text, nodes := withNodeNames(strings.TrimPrefix(err.Error(), "topology: "))
	line := s.given["algorithm"]
	switch {
	case of.Request != nil || of.Inform != nil || of.Sets != "":
		bare := without(func(of *Setting) { of.Request, of.Inform, of.Sets = nil, nil, "" })
		switch {
		case bare != nil && bare.Error() == err.Error(): // not about the sets
		case len(nodes) > 0:
			line, err = cmp.Or(s.lastSet("set", nodes), s.firstSet), &history.Worded{Kind: err, Text: text}
			if of.Inform != nil && strings.Contains(text, "inform") {
				line = cmp.Or(s.lastSet("inform", nodes), s.firstSet)
			}
		case bare == nil:
			line = s.firstSet
		}
	case of.Timeouts != 0 && without(func(of *Setting) { of.Timeouts = 0 }) == nil:
		line = s.given["timeouts"]
	case of.Links != nil && without(func(of *Setting) { of.Links = nil }) == nil:
		line = max(s.given["topology"], s.lastSet("links", nodes))
		err = &history.Worded{Kind: err, Text: "these links are not for " + of.Algorithm + ": " + text}
	}
	return s.errorAt(line, err)
}

// lastSet returns the last line that has such a set of one of the nodes, or 0.
func (s *Scenario) lastSet(directive string, nodes []messaging.ID) (line int) {
	for _, i := range nodes {
		line = max(line, s.given[givenOf(directive, i)])
	}
	return line
}

// aSet is a set of nodes in an error.
var aSet = regexp.MustCompile(`\[[0-9]{1,9}(?: [0-9]{1,9})*\]`)

// withNodeNames returns the text with nodes and sets of nodes named as in scenarios, and the nodes that it
// names first.
func withNodeNames(text string) (renamed string, first []messaging.ID) {
	return notation.Named(aSet.ReplaceAllStringFunc(text, func(set string) string {
		return "{" + strings.Trim(notation.Numbers(set), "[]") + "}"
	}))
}

// The topologies of n nodes that have a name. A tree has at most k children a node, a grid k columns.
var topologies = map[string]func(n, k int) topology.Graph{
	"complete": func(n, _ int) topology.Graph { return topology.Complete(n) },
	"grid":     func(n, k int) topology.Graph { return topology.Grid(n/k, k) },
	"line":     func(n, _ int) topology.Graph { return topology.Line(n) },
	"ring":     func(n, _ int) topology.Graph { return topology.Ring(n) },
	"star":     func(n, _ int) topology.Graph { return topology.Star(n) },
	"tree":     topology.Tree,
}

// topology reads: topology ring, topology tree 2, or topology grid 3.
func (p *parser) topology(l *line) {
	if p.linked > 0 {
		l.fail("expected one topology, but line %d has links already", p.linked)
	}
	const shapes = "complete, line, ring, star, tree and the number of children, or grid and the number of columns"
	word := take(l, "a topology: "+shapes, func(word string) (string, bool) { return word, topologies[word] != nil })
	wide := 1
	if word == "tree" || word == "grid" {
		wide = int(l.integer(1, mostNodes))
	}
	if l.err == nil && word == "grid" && l.nodes%wide != 0 {
		l.fail("expected a number of columns that divides the number of nodes, %d, found %d", l.nodes, wide)
	}
	if l.err == nil {
		p.setting.Links = topologies[word](l.nodes, wide)
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

// hasSets fails the line, which has sets, if there are sets by name and lists of them.
func (p *parser) hasSets(l *line) {
	p.firstSet = cmp.Or(p.firstSet, p.line)
	if p.setting.Sets != "" && (p.setting.Request != nil || p.setting.Inform != nil) {
		l.fail("expected sets by name or a list of them, found both")
	}
}

// checkLinks returns an error with its line if there are links that are no topology.
func (p *parser) checkLinks() error {
	if p.linked == 0 {
		return nil
	}
	if err := paths.Check(p.setting.Links); err != nil {
		text, nodes := withNodeNames(strings.TrimPrefix(err.Error(), "topology: "))
		err = errors.New("expected links by which every node reaches every other, but " + text)
		return p.errorAt(cmp.Or(p.lastSet("links", nodes), p.linked), err)
	}
	return nil
}
