//go:build doorway_explore && !js

package source

import (
	"strings"
	"sync"

	"example.org/doorway/explore/internal/contract"
)

// A vetting is a result of vetPackage.
type vetting struct {
	loops []Loop
	err   error
}

// vetted has the results of vetPackage, by the methods.
var vetted sync.Map

// examinePackage examines methods of one package.
func examinePackage(methods []Declaration) ([]Loop, error) {
	file := methods[0].File
	var names []string
	for _, m := range methods {
		if strings.HasSuffix(m.File, "_test.go") {
			file = m.File // without it, test files do not belong to the package
		}
		names = append(names, m.typeName+"."+m.method)
	}
	key := file + " " + strings.Join(names, " ")
	if found, ok := vetted.Load(key); ok {
		v := found.(vetting)
		return v.loops, v.err
	}
	source, err := read(file, methods[0].path)
	if err != nil {
		return nil, &UnexaminedError{methods[0].String(), err}
	}
	breaches, loops, err := source.Examine(names...)
	if err != nil {
		return nil, &UnexaminedError{methods[0].String(), err}
	}
	var found vetting
	for _, l := range loops {
		found.loops = append(found.loops, Loop{methods[0].path, l.File, l.First, l.Last})
	}
	if len(breaches) > 0 {
		b := breaches[0]
		found.err = &Breach{File: b.File, Line: b.Line, What: b.Func + ": " + b.What}
	}
	vetted.Store(key, found)
	return found.loops, found.err
}

// sources has the sources of packages, by their path and whether test files belong to it.
var sources sync.Map

// read returns the source of the package that contains file, which is read once.
func read(file, path string) (*contract.Source, error) {
	at, err := Locate(file, path)
	if err != nil {
		return nil, err
	}
	key := [2]any{path, strings.HasSuffix(file, "_test.go")}
	if found, ok := sources.Load(key); ok && found.(*contract.Source).Has(at) {
		return found.(*contract.Source), nil
	}
	source, err := contract.Read(at)
	if err == nil {
		sources.Store(key, source)
	}
	return source, err
}

// Locate returns the path of a file of a package, given the path that the compiler
// recorded.
func Locate(file, path string) (string, error) { return contract.Locate(file, path) }
