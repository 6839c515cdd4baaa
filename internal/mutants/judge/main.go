package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/variant"
	"example.org/doorway/mutex"
)

// Main is the program that judges one lock, in a process of its own, so that no lock
// can affect the verdict on another. Its arguments are an algorithm of the catalog and
// the index of a mutant of it; an algorithm and "original"; or "broken" and the name of
// a variant. It prints the [Result].
func Main(mutants []func(n int) mutex.Mutex) {
	s, err := find(os.Args[1:], mutants)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(Run(s))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func find(args []string, mutants []func(n int) mutex.Mutex) (Subject, error) {
	if len(args) != 2 {
		return Subject{}, fmt.Errorf("%q is not a kind of lock, and which one", args)
	}
	if args[0] == "broken" {
		a, ok := catalog.Find(args[1])
		if !ok || a.Broken == nil {
			return Subject{}, fmt.Errorf("no broken lock is called %q", args[1])
		}
		return Broken(a), nil
	}
	a, ok := catalog.Find(args[0])
	if !ok {
		return Subject{}, fmt.Errorf("the catalog has no %q", args[0])
	}
	if args[1] == "original" {
		return Of(a, func(n int) mutex.Mutex { return a.New(n) }), nil
	}
	k, err := strconv.Atoi(args[1])
	if err != nil || k < 0 || k >= len(mutants) {
		return Subject{}, fmt.Errorf("there is no mutant %s: there are %d", args[1], len(mutants))
	}
	return Of(a, mutants[k]), nil
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
