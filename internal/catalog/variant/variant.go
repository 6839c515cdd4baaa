// Package variant contains algorithms that are wrong, on which the checkers are
// tested: rules as lectures print them, and plausible variants. Each is a patch of
// the shipping source, which therefore needs no flag or branch for it. No copy is in the tree:
// package overlay makes the patched source for one build, that of the checker.
//
// A new variant is a patch in locks.diff or nodes.diff, and a constructor in variants.go of package
// catalog. A patch is a change as [ReadChanges] reads it, whose file has the path in the module. It says
// of which algorithm it is, and why and with how many nodes it fails. Its tests have the tag
// doorway_explore, and
//
//	go run ./internal/explored
//
// runs them.
package variant

import (
	"cmp"
	_ "embed" // the patches
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Property is what a variant violates.
type Property uint8

// The properties.
const (
	Exclusion Property = iota // mutual exclusion
	Progress                  // deadlock-free
	GivingUp                  // one of the two, or a bound on numbers, but only if a process aborts
	Contract                  // a node gets a message that cannot be, and panics
)

// A Variant is an algorithm that is wrong: a patch of the shipping source.
type Variant struct {
	Change         // its name is that of the algorithm, a slash, and what is wrong: bakery/maxpos
	Of      string // the algorithm from which it departs, by its name in the catalog
	Source  string // the lecture that prints it
	Why     string // how it fails
	Refuted Property
	Fewest  int // the smallest number of processes or nodes with which it fails

	// Of nodes: the rule that is wrong, and the smallest instance that refutes it: quorums or links, as
	// directives of a scenario; the requests of each node, how many of them may be withdrawn, and the
	// events of a shortest history.
	Rule, Given         string
	Requests            []int
	Withdrawals, Events int
}

// Package returns the directory of the package of that algorithm: messaging/permission/maekawa.
func (v Variant) Package() string { return path.Dir(v.Edits[0].File) }

// Dir returns the directory that its patched copy seems to be in, in the module:
// internal/catalog/variant/bakery/maxpos.
func (v Variant) Dir() string {
	algorithm, wrong, _ := strings.Cut(v.Name, "/")
	algorithm, _, _ = strings.Cut(algorithm, "-")
	return path.Join("internal/catalog/variant", algorithm, strings.ReplaceAll(wrong, "-", ""))
}

// All returns the variants of locks and of nodes.
func All() []Variant { return slices.Concat(Locks, Nodes) }

//go:embed locks.diff
var locks string

//go:embed nodes.diff
var nodes string

var (
	// Locks are the broken locks that the lecture mentions and similar ones, and locks
	// that are correct unless a process aborts: they withdraw, or just abandon, an
	// acquisition that must be absorbed.
	Locks = read("locks.diff", locks)

	// Nodes are rules as lectures print them, and tempting variants, that fail. Of most,
	// examples/scenarios has a run that shows how, such as caosinghal-eager.txt.
	Nodes = read("nodes.diff", nodes)
)

// refuted has the properties, as a patch says them.
var refuted = map[string]Property{"exclusion": Exclusion, "progress": Progress, "giving up": GivingUp, "contract": Contract}

// read returns the variants whose patches are in a file. It panics if the file is not well-formed.
func read(file, text string) []Variant {
	changes, err := parse(file, text)
	if err != nil {
		panic(err)
	}
	all := make([]Variant, len(changes))
	for k, c := range changes {
		if all[k], err = variantOf(c); err != nil {
			panic(fmt.Sprintf("%s: %s: %v", file, c.Name, err))
		}
	}
	return all
}

func variantOf(c Change) (Variant, error) {
	v := Variant{
		Change: c, Of: c.says["of"], Source: cmp.Or(c.says["source"], "broken on purpose"), Why: c.says["why"], Rule: c.says["rule"], Given: c.says["given"],
	}
	how, fewest, _ := strings.Cut(c.says["fails"], ", n = ")
	property, known := refuted[how]
	if !known {
		return v, fmt.Errorf("it fails in no known way: %q", how)
	}
	v.Refuted = property
	var wrong error
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		wrong = cmp.Or(wrong, err)
		return n
	}
	v.Fewest = number(fewest)
	for k := range strings.FieldsSeq(c.says["requests"]) {
		v.Requests = append(v.Requests, number(k))
	}
	v.Withdrawals, v.Events = number(cmp.Or(c.says["withdrawals"], "0")), number(cmp.Or(c.says["events"], "0"))
	return v, wrong
}
