package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/broken"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// Main is the program that judges one lock, a process each, so that none can
// spoil the verdict on another. Its arguments are the kind of lock and which
// one: an algorithm of the catalog and the index of a mutant of it; an
// algorithm and "original"; "broken" and the name of a variant. It prints the
// [Result].
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
		for _, v := range BrokenVariants() {
			if v.Name == args[1] {
				return Broken(v), nil
			}
		}
		return Subject{}, fmt.Errorf("no broken lock is called %q", args[1])
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

// BrokenVariants are all variants that are broken: mutual exclusion fails of the
// first, and of the others something does when processes give up.
func BrokenVariants() []broken.Variant {
	return slices.Concat(broken.Variants, broken.GivingUp)
}

// Broken returns the subject for a variant that is broken, at the fewest
// processes with which it is.
func Broken(v broken.Variant) Subject {
	setup := Setup{N: v.Processes, Tickets: 3}
	if v.Abortable == nil {
		return Subject{
			New:    func(n int) mutex.Mutex { return v.New(n) },
			Claims: catalog.Claims{Numbers: "unbounded"},
			Cap:    func(n, tickets int) uint64 { return uint64(max(tickets, n)) },
			Setups: []Setup{setup},
		}
	}
	name, _, _ := strings.Cut(v.Name, "/")
	a, ok := catalog.Find(name)
	if !ok {
		panic(fmt.Sprintf("judge: the catalog has no %s, of which %s is a variant", name, v.Name))
	}
	s := Of(a, func(n int) mutex.Mutex { return v.Abortable(n) })
	setup.GiveUp = true
	s.Setups = []Setup{setup}
	return s
}
