// Package mutants tests the checkers by mutation: it makes small changes to the
// algorithms of the library, and a check must refute each one. A verdict means
// something only if the same checks refute an algorithm that is wrong.
//
// A [Mutant] is an algorithm with one small change, made in the source that users import.
// That of a lock ([Of]) is in its entry or exit protocol: an operation dropped, two
// neighbours swapped, a wait skipped, a comparison weakened. That of nodes ([OfNodes]) is in
// a handler: a statement or a message dropped, a flag inverted, a loop ended early. The mutants
// are compiled into one program ([Build]), which judges one at a time (command judge): a lock
// by what the catalog claims of it, nodes by random schedules, the costs that the catalog
// claims, the contract of nodes, the quick tests of their package, and at last explorations.
// A mutant is
//
//   - killed, if one of the checks fails;
//   - equivalent, if none does, and [Reasons] explains why. For a lock, the explanation
//     stands in for the largest setup, which takes longer than all others, and without which
//     all but one of the killed ones die;
//   - listed, if it is one of the few nodes of which [Open] says what would kill them;
//   - a survivor otherwise. There must be none.
//
// Each algorithm is also judged unchanged, so a mutant cannot be killed by a check
// that the algorithm itself does not pass.
package mutants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
)

// A Mutant is an algorithm with a small change to its protocol.
type Mutant struct {
	Algorithm string // its name in the catalog
	File      string // that was changed, relative to the module
	Func      string // the function in it
	Line      int
	Change    string // the kind of change, with the code that it changes

	Before, After string // the line, or the lines, before and after

	dir     string // of the algorithm
	tested  bool   // with the tests of its package
	body    body   // of the function
	changed string // its source
}

// A body is that of a function that mutants change: its offsets, within the braces.
type body struct{ from, to int }

// Key returns a name for the mutant that does not change when the file is edited
// elsewhere.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s: %s", m.Algorithm, m.Func, m.Change)
}

func (m Mutant) String() string {
	return fmt.Sprintf("%s %s:%d %s: %s", m.Algorithm, m.File, m.Line, m.Func, m.Change)
}

// All returns the mutants of all locks of the catalog, and of all packages of its nodes. Root is
// the directory of the module.
func All(root string) (locks, nodes []Mutant, err error) {
	for _, a := range catalog.Algorithms {
		of, failed := Of(root, a.Entry)
		locks, err = append(locks, of...), cmp.Or(err, failed)
	}
	for _, p := range Packages() {
		of, failed := OfNodes(root, p)
		nodes, err = append(nodes, of...), cmp.Or(err, failed)
	}
	return locks, nodes, err
}

// Packages returns the names of the packages of nodes.
func Packages() (all []string) {
	for _, p := range catalog.Protocols {
		all = append(all, p.Package())
	}
	return slices.Compact(all)
}

// Of returns the mutants of a lock, in the order of its source.
func Of(root string, a catalog.Entry) ([]Mutant, error) {
	dir, call, ok := strings.Cut(a.Import, ".")
	constructor, _, ok2 := strings.Cut(call, "(")
	if !ok || !ok2 {
		return nil, fmt.Errorf("mutants: %q of %s is not a call of a constructor", a.Import, a.Name)
	}
	p, err := load(root, dir)
	if err == nil {
		err = p.ofLock(constructor)
	}
	if err != nil {
		return nil, fmt.Errorf("mutants: %s: %w", a.Name, err)
	}
	return p.mutants((*operators).lock, Mutant{Algorithm: a.Name, dir: dir}), nil
}
