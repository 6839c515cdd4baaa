// Package mutants tests the checker by mutation: it makes small changes to the
// algorithms of the library, and the checker must refute each one. A verdict means
// something only if the checker refutes it for an algorithm that is wrong.
//
// A [Mutant] is an algorithm with one small change to its entry or exit
// protocol, made in the source that users import ([Of]): an operation dropped,
// two neighbours swapped, a wait skipped, a comparison weakened. The mutants
// are compiled into one program ([Build]), which checks of one mutant at a time
// what the catalog claims of its algorithm (package judge). A mutant is
//
//   - killed, if one of the claims fails;
//   - equivalent, if all of them hold, and [Reasons] explains why;
//   - a survivor otherwise. There must be none.
//
// Each algorithm is also judged unchanged, so a mutant cannot be killed by a claim
// that the algorithm itself does not satisfy.
package mutants

import (
	"fmt"
	"os"
	"path/filepath"
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

	dir, constructor string // of the algorithm
	source           []byte // of the file, changed
}

// Key returns a name for the mutant that does not change when the file is edited
// elsewhere.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s: %s", m.Algorithm, m.Func, m.Change)
}

func (m Mutant) String() string {
	return fmt.Sprintf("%s %s:%d %s: %s", m.Algorithm, m.File, m.Line, m.Func, m.Change)
}

// All returns the mutants of all algorithms of the catalog. Root is the
// directory of the module.
func All(root string) ([]Mutant, error) {
	var all []Mutant
	for _, a := range catalog.Algorithms {
		of, err := Of(root, a)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// Of returns the mutants of an algorithm, in the order of its source. Root is
// the directory of the module.
func Of(root string, a catalog.Algorithm) ([]Mutant, error) {
	dir, call, ok := strings.Cut(a.Import, ".")
	constructor, _, ok2 := strings.Cut(call, "(")
	if !ok || !ok2 {
		return nil, fmt.Errorf("mutants: %q of %s is not a call of a constructor", a.Import, a.Name)
	}
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[dir+"/"+filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	p, err := parse(files, constructor)
	if err != nil {
		return nil, fmt.Errorf("mutants: %s: %w", a.Name, err)
	}
	changes := p.changes()
	mutants := make([]Mutant, 0, len(changes))
	keys := map[string]int{}
	for _, c := range changes {
		m := Mutant{
			Algorithm: a.Name, File: c.file, Func: c.function, Line: c.line, Change: c.what,
			dir: dir, constructor: call,
		}
		m.source, m.Before, m.After = c.apply(files[c.file])
		if keys[m.Key()]++; keys[m.Key()] > 1 {
			m.Change += fmt.Sprintf(" (%d)", keys[m.Key()])
		}
		mutants = append(mutants, m)
	}
	slices.SortStableFunc(mutants, func(a, b Mutant) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return mutants, nil
}
