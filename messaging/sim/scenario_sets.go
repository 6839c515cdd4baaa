package sim

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// algorithmFor returns the algorithm for that holder, on the links of the scenario. An error
// of lookup gets the line that it is about: that of a set or of the timeouts, or that of the
// algorithm.
func (s *Scenario) algorithmFor(lookup lookup, holder messaging.ID) (messaging.Algorithm, error) {
	algorithm, err := s.withoutLinks(lookup, holder)
	if err == nil && len(s.inputs) > 0 {
		err = s.readInputs(s.Kinds)
	}
	if err == nil && algorithm != nil && s.setting.Links != nil {
		algorithm = messaging.On(s.setting.Links, algorithm)
	}
	return algorithm, err
}

func (s *Scenario) withoutLinks(lookup lookup, holder messaging.ID) (messaging.Algorithm, error) {
	bare := s.setting
	bare.Holder, bare.Request, bare.Inform, bare.Sets, bare.Links = holder, nil, nil, "", copySets(s.setting.Links)
	if s.setting.Request == nil && s.setting.Inform == nil && s.setting.Sets == "" {
		algorithm, err := lookup(bare)
		if err != nil {
			return nil, s.refusedBare(lookup, bare, err)
		}
		return algorithm, nil
	}
	_, without := lookup(bare)
	full := bare
	full.Request, full.Inform, full.Sets = copySets(s.setting.Request), copySets(s.setting.Inform), s.setting.Sets
	algorithm, err := lookup(full)
	if err != nil {
		return nil, s.refused(err, without)
	}
	return algorithm, nil
}

// refusedBare adds the line to err, an error of lookup for a setting without sets: that of the
// timeouts or the links, if those are refused.
func (s *Scenario) refusedBare(lookup lookup, bare Setting, err error) error {
	fits := func(without Setting) bool { _, err := lookup(without); return err == nil }
	untimed, unlinked := bare, bare
	untimed.Timeouts, unlinked.Links = 0, nil
	switch {
	case bare.Timeouts != 0 && fits(untimed):
		return s.errorAt(s.given["timeouts"], err)
	case bare.Links != nil && fits(unlinked):
		text, nodes := withNodeNames(strings.TrimPrefix(err.Error(), "topology: "))
		line := s.given["topology"]
		for _, i := range nodes {
			line = max(line, s.given[setOf("links", i)])
		}
		return s.errorAt(line, &refusal{err, "these links are not for " + bare.Algorithm + ": " + text})
	}
	return s.errorAt(s.given["algorithm"], err)
}

// refused adds the line to err, an error of lookup; without is the error that lookup
// returns without the sets.
func (s *Scenario) refused(err, without error) error {
	text, nodes := withNodeNames(err.Error())
	switch {
	case without != nil && without.Error() == err.Error():
		return s.errorAt(s.given["algorithm"], err) // not about the sets
	case len(nodes) > 0:
		return s.errorAt(s.lastSet(nodes, strings.Contains(text, "inform")), &refusal{err, text})
	case without == nil:
		return s.errorAt(s.firstSet(), err)
	}
	return s.errorAt(s.given["algorithm"], err)
}

// A refusal is an error whose text names nodes as scenarios do.
type refusal struct {
	err  error
	text string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.err }

// lastSet returns the last line that has the set of one of the nodes: an inform set
// if the error is about those and there are any.
func (s *Scenario) lastSet(nodes []messaging.ID, inform bool) (line int) {
	directive := "set"
	if inform && s.setting.Inform != nil {
		directive = "inform"
	}
	for _, i := range nodes {
		line = max(line, s.given[setOf(directive, i)])
	}
	return cmp.Or(line, s.firstSet())
}

// firstSet returns the first line that has a set.
func (s *Scenario) firstSet() (line int) {
	for what, given := range s.given {
		directive, _, _ := strings.Cut(what, " ")
		if (directive == "set" || directive == "inform" || directive == "sets") && (line == 0 || given < line) {
			line = given
		}
	}
	return line
}

// The forms in which errors name nodes, and sets of nodes.
var (
	numbered    = regexp.MustCompile(`\bnodes? [0-9]{1,9}(?: and [0-9]{1,9})?\b|\[[0-9]{1,9}(?: [0-9]{1,9})*\]`)
	wholeNumber = regexp.MustCompile(`[0-9]+`)
)

// withNodeNames returns the text with nodes named as in scenarios, and the nodes that it
// names first.
func withNodeNames(text string) (renamed string, first []messaging.ID) {
	renamed = numbered.ReplaceAllStringFunc(text, func(part string) string {
		var ids []messaging.ID
		part = wholeNumber.ReplaceAllStringFunc(part, func(digits string) string {
			n, err := strconv.ParseInt(digits, 10, 31)
			if err != nil {
				return digits
			}
			ids = append(ids, messaging.ID(n))
			return name(messaging.ID(n))
		})
		if set, ok := strings.CutPrefix(part, "["); ok {
			return "{" + strings.TrimSuffix(set, "]") + "}"
		}
		if first == nil {
			first = ids
		}
		return strings.TrimPrefix(strings.TrimPrefix(part, "nodes "), "node ")
	})
	return renamed, first
}

func copySets(sets [][]messaging.ID) [][]messaging.ID {
	c := slices.Clone(sets)
	for i := range c {
		c[i] = slices.Clone(c[i])
	}
	return c
}

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
