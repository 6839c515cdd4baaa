// Package variant has the algorithms that are wrong: rules as lectures print them,
// and plausible variants. Each is a patch of the shipping source, so that whatever
// checks algorithms can prove itself on it, and so that the shipping source has no
// flag for it. The patched copies are generated ([Variant.Generate]) and compiled
// into the library: whoever runs a variant needs no toolchain.
package variant

import "strings"

//go:generate go run ./generate

// A Property is what a variant violates.
type Property uint8

// The properties.
const (
	Exclusion Property = iota // two are inside at a time
	Progress                  // it deadlocks
	GivingUp                  // it is right as long as no process gives up
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
