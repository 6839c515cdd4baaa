// Package variant contains algorithms that are wrong, on which the checkers are
// tested: rules as lectures print them, and plausible variants. Each is a patch of
// the shipping source, which therefore needs no flag or branch for it. No copy is in the tree:
// package overlay makes the patched source for one build, that of the checker.
//
// A new variant is a patch in [Locks] or [Nodes], and a constructor in variants.go of package
// catalog. Its tests have the tag doorway_explore, and
//
//	go run ./internal/explored
//
// runs them.
package variant

import (
	"fmt"
	"slices"
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
	Name     string   // of the algorithm, a slash, and what is wrong: bakery/maxpos
	Of       string   // the algorithm from which it departs, by its name in the catalog
	Package  string   // the package of that algorithm: messaging/permission/maekawa
	Files    []string // the files of it that the variant needs
	Old, New string   // the text that it changes in the first of these
	More     []Edit   // what else it changes
	Source   string   // the lecture that prints it
	Why      string   // how it fails
	Refuted  Property
	Fewest   int // the smallest number of processes or nodes with which it fails
}

// Dir returns the directory that its patched copy seems to be in, relative to this package:
// bakery/maxpos.
func (v Variant) Dir() string {
	algorithm, wrong, _ := strings.Cut(v.Name, "/")
	algorithm, _, _ = strings.Cut(algorithm, "-")
	return algorithm + "/" + strings.ReplaceAll(wrong, "-", "")
}

// All returns the variants of locks and of nodes.
func All() []Variant { return slices.Concat(Locks, Nodes) }

// purpose is the Source of variants that no lecture prints.
const purpose = "broken on purpose"

// An Edit replaces Old, which occurs exactly once in the file, with New.
type Edit struct {
	File     string // its name; in a Variant, "" is the first of its Files
	Old, New string
}

// Apply returns the text of the file with the edit applied. It returns an error
// unless Old occurs exactly once: if the source has changed, so must the edit.
func (e Edit) Apply(text string) (string, error) {
	if n := strings.Count(text, e.Old); n != 1 {
		return "", fmt.Errorf("%s has %d times\n%s", e.File, n, e.Old)
	}
	return strings.Replace(text, e.Old, e.New, 1), nil
}
