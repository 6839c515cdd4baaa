// Package variant has algorithms that are wrong, on which checkers prove themselves:
// rules as lectures print them, and plausible variants. Each is a patch of the
// shipping source, which so needs no flag and no branch for it. The patched copies
// are generated below this directory ([Variant.Generate]) and compiled into the
// library, so that running a variant takes no toolchain.
//
// A new variant is a patch in [Locks] or [Nodes], then
//
//	go generate ./internal/variant
//
// and a row of package catalog, which has its constructor.
package variant

import "strings"

//go:generate go run ./generate

// A Property is what a variant violates.
type Property uint8

// The properties.
const (
	Exclusion Property = iota // mutual exclusion
	Progress                  // freedom from deadlock
	GivingUp                  // one of the two, or a bound of numbers, but only if a process gives up
)

// A Variant is an algorithm that is wrong: a patch of the shipping source.
type Variant struct {
	Name    string   // of the algorithm, a slash, and what is wrong: bakery/maxpos
	Of      string   // the algorithm that it departs from, as the catalog names it
	Package string   // where the source of that is: messaging/permission/maekawa
	Files   []string // what the copy needs of it
	Edits   []Edit
	Source  string // which lecture prints it
	Why     string // how it fails
	Refuted Property
	Fewest  int // processes or nodes with which it fails
}

// Find returns the variant of that name, and whether there is one.
func Find(name string) (Variant, bool) {
	for _, v := range All() {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

// Dir is where its generated copy is, from this package: bakery/maxpos.
func (v Variant) Dir() string {
	algorithm, wrong, _ := strings.Cut(v.Name, "/")
	algorithm, _, _ = strings.Cut(algorithm, "-")
	return algorithm + "/" + strings.ReplaceAll(wrong, "-", "")
}

// All returns the variants: of locks, and of nodes.
func All() []Variant { return append(append([]Variant(nil), Locks...), Nodes...) }

// purpose is the source of what no lecture prints.
const purpose = "broken on purpose"
