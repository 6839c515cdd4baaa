package catalog

import (
	"strings"

	"example.org/doorway/internal/catalog/variant"
)

// An Entry has the fields common to the rows of both lists.
type Entry struct {
	Name   string // as the command line and scenarios take it
	Import string // the constructor, as a program writes it
	Source string // author and year

	// Broken is the variant that it is, if it is wrong; otherwise nil.
	Broken *variant.Variant
}

func (e Entry) entry() Entry { return e }

// Package returns the name of the package of the algorithm.
func (e Entry) Package() string {
	name, _, _ := strings.Cut(e.Import, ".")
	return name
}

type row interface{ entry() Entry }

// find returns the row with that name in one of the lists, and whether there is one.
func find[R row](name string, lists ...[]R) (found R, ok bool) {
	for _, all := range lists {
		for _, r := range all {
			if r.entry().Name == name {
				return r, true
			}
		}
	}
	return found, false
}

// Names returns the names of the rows of the lists.
func Names[R row](lists ...[]R) (names []string) {
	for _, all := range lists {
		for _, r := range all {
			names = append(names, r.entry().Name)
		}
	}
	return names
}

// rowsOf returns the rows of variants.
func rowsOf[R row](all []variant.Variant, row func(variant.Variant) R) []R {
	rows := make([]R, len(all))
	for k, v := range all {
		rows[k] = row(v)
	}
	return rows
}

// A LackingError means that an algorithm is wrong, and that this build has only those that are
// correct.
type LackingError struct{ Name string }

func (e *LackingError) Error() string {
	return e.Name + " is wrong on purpose: a patch that the library does not have; " +
		"doorway check, run, trace and stress build it, and, for tests of a checkout, go run ./internal/explored"
}

// Lacking returns a [LackingError] if this build does not have the algorithm.
func (e Entry) Lacking() error {
	if e.Broken == nil || Variants {
		return nil
	}
	return &LackingError{e.Name}
}
