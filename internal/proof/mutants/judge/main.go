// Judge judges one algorithm of the catalog, in a process of its own, so that none can affect the
// verdict on another:
//
//	judge bakery                the lock, as it is built
//	judge bakery quick          without the largest setup
//	judge bakery/flip           the wrong variant of a lock
//	judge raymond               the nodes of a package
//	judge raymond explored      the same, by explorations
//
// It prints a [mutants.Result]. Package mutants builds it with mutants in the packages of the algorithms.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/proof/mutants"
)

func main() {
	debug.SetMaxStack(64 << 20) // an endless recursion ends soon
	judge, err := find(os.Args[1:])
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
func find(args []string) (judge func() Result, err error) {
	if len(args) == 0 {
		return nil, errors.New("usage: judge algorithm [quick | explored]")
	}
	name, how := args[0], strings.Join(args[1:], " ")
	if a, known := catalog.Find(name); known {
		setups := Setups(a)
		switch {
		case a.Broken != nil:
			a, setups = broken(a)
		case how == mutants.Quick:
			setups = Quick(setups)
		}
		return func() Result { return Run(a, setups) }, nil
	}
	var nodes []catalog.Protocol
	for _, p := range catalog.Protocols {
		if p.Package() == name {
			nodes = append(nodes, p)
		}
	}
	switch {
	case len(nodes) == 0:
		return nil, fmt.Errorf("the catalog has no %q", name)
	case how == mutants.Explored:
		return func() Result { return ExploreNodes(nodes) }, nil
	}
	return func() Result { return RunNodes(nodes) }, nil
}

// broken returns a broken lock of the catalog with the claim that it violates, at the smallest number
// of processes with which it fails: most violate mutual exclusion, and the others fail
// when processes abort.
func broken(a catalog.Algorithm) (catalog.Algorithm, []Setup) {
	aborts := a.Broken.Refuted == variant.GivingUp
	if !aborts {
		a.Claims = catalog.Claims{Numbers: "unbounded"}
	}
	return a, []Setup{{N: a.Broken.Fewest, Tickets: 3, GiveUp: aborts}}
}
