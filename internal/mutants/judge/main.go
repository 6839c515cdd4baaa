package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/mutants/verdict"
	"example.org/doorway/internal/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/mutex"
)

// A Mutant is what the program of the mutants judges: a lock, or the nodes of the algorithms of
// a package. *Chosen chooses it among the mutants of the package: 0 is the original, and
// 1 the first mutant of the program.
type Mutant struct {
	Chosen *int
	Lock   func(n int) mutex.Mutex
	Nodes  []messaging.Protocol
}

// Explored is the argument with which nodes are judged by [ExploreNodes].
const Explored = verdict.Explored

// Main is the program that judges one algorithm, in a process of its own, so that none
// can affect the verdict on another. Its arguments are a lock of the catalog, or a package
// of nodes, and the index of a mutant of it, with "original" for the algorithm without the
// change, "quick" for [Subject.Quick], or [Explored] for [ExploreNodes]; or "broken" and the
// name of a variant of a lock. It prints the [Result].
func Main(mutants []Mutant) {
	debug.SetMaxStack(64 << 20) // an endless recursion ends soon
	judge, err := find(os.Args[1:], mutants)
	if err == nil {
		err = judge().print()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r Result) print() error { return json.NewEncoder(os.Stdout).Encode(r) }

// find returns the function that judges what the arguments name.
func find(args []string, mutants []Mutant) (judge func() Result, err error) {
	if len(args) < 2 {
		return nil, fmt.Errorf("%q is not a kind of algorithm, and which one", args)
	}
	name, which, how := args[0], args[1], args[2:]
	a, known := catalog.Find(name)
	if name == "broken" {
		if a, known = catalog.Find(which); !known || a.Broken == nil {
			return nil, fmt.Errorf("no broken lock is called %q", which)
		}
		return func() Result { return Run(Broken(a)) }, nil
	}
	k, err := strconv.Atoi(which)
	if err != nil || k < 0 || k >= len(mutants) {
		return nil, fmt.Errorf("there is no mutant %s: there are %d", which, len(mutants))
	}
	m := mutants[k]
	if !slices.Contains(how, "original") {
		*m.Chosen = k + 1
	}
	switch {
	case m.Lock == nil && slices.Contains(how, Explored):
		return func() Result { return ExploreNodes(m.Nodes) }, nil
	case m.Lock == nil:
		return func() Result { return RunNodes(m.Nodes) }, nil
	case !known:
		return nil, fmt.Errorf("the catalog has no %q", name)
	case slices.Contains(how, "quick"):
		return func() Result { return Run(Of(a, m.Lock).Quick()) }, nil
	}
	return func() Result { return Run(Of(a, m.Lock)) }, nil
}

// Broken returns the subject for a broken lock of the catalog, at the smallest number
// of processes with which it fails: most violate mutual exclusion, and the others fail
// when processes abort.
func Broken(a catalog.Algorithm) Subject {
	s := Of(a, func(n int) mutex.Mutex { return a.New(n) })
	s.Setups = []Setup{{N: a.Broken.Fewest, Tickets: 3, GiveUp: a.Broken.Refuted == variant.GivingUp}}
	if !s.Setups[0].GiveUp {
		s.Claims = catalog.Claims{Numbers: "unbounded"}
	}
	return s
}
