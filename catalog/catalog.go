// Package catalog looks up the algorithms of the library by name: locks for shared
// memory, and message-passing protocols. It is for programs that take the name from
// a user; others call the constructor.
//
// It also has algorithms that are wrong, on which checkers are tested: rules as
// lectures print them, and plausible variants, each a patch of the shipping source.
// Their names have a slash: bakery/maxpos, maekawa/late-failed. "go run
// ./cmd/doorway list" lists the number of processes with which each fails, and
// whether it fails only if some of them abort. Only the command's build for the
// checker has the patches; elsewhere [Lock], [Protocol] and [Scenario] return an error.
package catalog

import (
	"cmp"
	"fmt"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
)

// maxNodes is the largest number of nodes of a cluster.
const maxNodes = 1 << 20

// Locks returns the names of all locks: the correct ones, then the wrong ones.
func Locks() []string { return catalog.Names(catalog.Algorithms, catalog.Broken) }

// Protocols returns the names of all protocols: the correct ones, then the wrong
// ones.
func Protocols() []string { return catalog.Names(catalog.Protocols, catalog.Printed) }

// Lock returns a free lock for n processes. It returns an error if there is no lock
// with that name, or if it does not serve n processes; most serve 1 to 1<<20.
func Lock(name string, n int) (mutex.Abortable, error) {
	a, ok := catalog.Find(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("catalog: %w", unknown("lock", name, Locks()))
	case !a.For(n):
		return nil, fmt.Errorf("catalog: %s does not serve %d processes", name, n)
	}
	if err := a.Lacking(); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return a.New(n), nil
}

// Protocol returns the algorithm for n nodes, 1 to 1<<20; an algorithm with quorums
// chooses them itself. It returns an error if there is no protocol with that name,
// or if n is out of range.
func Protocol(name string, n int) (messaging.Algorithm, error) {
	p, ok := catalog.FindProtocol(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("catalog: %w", unknown("protocol", name, Protocols()))
	case n < 1 || n > maxNodes:
		return nil, fmt.Errorf("catalog: %s does not serve %d nodes", name, n)
	}
	if err := p.Lacking(); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return p.New(n), nil
}

// Scenario returns the algorithm of a scenario, with the sets, the topology and the
// timeouts of the scenario, for [sim.Scenario.Run]; the default timeouts are those for
// messages that take [sim.T]. It also knows the algorithms that are no locks, such as changroberts; if
// they get inputs, the lookup sets Scenario.Kinds. It returns an error if there is no algorithm with
// that name, or if the sets, the topology or the timeouts do not suit it.
//
// It knows these sets by name: plane, folded, grid, majority and tree, as the functions of package
// quorum build them, and go on after crashes; reiser-13, the quorums of Reiser's example of Maekawa's algorithm; and
// reiser-4, his information structure of four nodes.
//
// The set of a node of changroberts, ring or ring-naive is its successor on the ring, set S1 = S3; that
// of a node of naimitrehel is its father in the first tree, whose root is its own.
func Scenario(s sim.Setting) (messaging.Algorithm, error) {
	p, ok := catalog.FindProtocol(s.Algorithm)
	if system, is := catalog.FindSystem(s.Algorithm); is {
		p, ok = system.Protocol, true
	}
	lacking := p.Lacking()
	switch {
	case !ok:
		return nil, unknown("algorithm", s.Algorithm, append(Protocols(), catalog.Names(catalog.Systems)...))
	case s.Nodes < 1 || s.Nodes > maxNodes:
		return nil, fmt.Errorf("%s does not serve %d nodes", p.Name, s.Nodes)
	case lacking != nil:
		return nil, lacking
	case s.Request != nil && len(s.Request) != s.Nodes || s.Inform != nil && len(s.Inform) != s.Nodes:
		return nil, fmt.Errorf("%s has %d nodes: there must be one set of each kind for every node", p.Name, s.Nodes)
	case p.Given == nil && (s.Request != nil && p.First == nil || s.Inform != nil || s.Sets != ""):
		return nil, fmt.Errorf("%s takes no sets", p.Name)
	case p.Timed == nil && s.Timeouts != 0:
		return nil, fmt.Errorf("%s has no timeouts", p.Name)
	case s.Sets != "":
		return withSets(p, s)
	case s.Request != nil && p.First != nil:
		return p.First(s.Request)
	case s.Request != nil:
		return p.Given(s.Request, s.Inform)
	case s.Inform != nil:
		return nil, fmt.Errorf("%s also needs the sets of nodes to ask", p.Name)
	case p.Over != nil && s.Links != nil:
		return p.Over(s.Links)
	}
	return p.Within(s.Nodes, cmp.Or(s.Timeouts, sim.T)), nil
}

// withSets returns p with the sets of that name.
func withSets(p catalog.Protocol, s sim.Setting) (messaging.Algorithm, error) {
	if p.With != nil {
		if quorums, known, err := catalog.Quorums(s.Sets, s.Nodes); err != nil {
			return nil, err
		} else if known {
			return p.With(quorums), nil
		}
	}
	request, inform, err := catalog.Sets(s.Sets, s.Nodes)
	switch {
	case err != nil:
		return nil, err
	case request == nil:
		return nil, unknown("set", s.Sets, catalog.SetNames())
	}
	return p.Given(request, inform)
}

// unknown returns an error that suggests names.
func unknown(kind, name string, names []string) error {
	return fmt.Errorf("no %s %q: %s", kind, name, spelling.Choices("the "+kind+"s are", name, names))
}
