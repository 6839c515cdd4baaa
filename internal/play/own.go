package play

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/own/constructor"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// An own is an algorithm of one's own: of a lock, or of nodes.
type own struct{ constructor.Made }

var owns []own

// Add adds an algorithm of one's own: a constructor of a lock, func(n int) mutex.Mutex or the like, or of a protocol.
func Add(name string, of any) error {
	if len(strings.Fields(name)) != 1 || strings.ContainsAny(name, ";#") {
		return fmt.Errorf("play: the name %q is not one word without ; and #", name)
	}
	if slices.ContainsFunc(List().Algorithms, func(a Algorithm) bool { return a.Name == name }) {
		return fmt.Errorf("play: there is an algorithm %s already", name)
	}
	made, err := constructor.Of(name, of)
	if err != nil {
		return fmt.Errorf("play: %w", err)
	}
	owns = append(owns, own{made})
	return nil
}

// ownOf returns the algorithm of one's own of that name, if there is one.
func ownOf(name string) (o own, is bool) {
	k := slices.IndexFunc(owns, func(o own) bool { return o.Name == name })
	if k < 0 {
		return own{}, false
	}
	return owns[k], true
}

const yours = "your own"

// algorithm makes it as a scenario says.
func (o own) algorithm(of sim.Setting) (a messaging.Algorithm, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %v", o.Name, r)
		}
	}()
	if o.Nodes == nil {
		return nil, errors.New(o.Name + " makes a lock, of processes: its text begins with processes, not nodes")
	}
	if of.Request != nil || of.Inform != nil || of.Sets != "" || of.Timeouts != 0 {
		return nil, errors.New(o.Name + " takes no sets and no timeouts")
	}
	if a = o.Nodes(of.Nodes); a == nil {
		return nil, errors.New(o.Name + " returns nil")
	}
	return a, nil
}

// entry is that of its row in the catalog, which claims nothing.
func (o own) entry() catalog.Entry { return catalog.Entry{Name: o.Name, Source: yours} }

// row returns it as it is listed.
func (o own) row() Algorithm {
	if o.Lock != nil {
		return lockRow(catalog.Algorithm{Entry: o.entry()}, yours)
	}
	return nodesRow(catalog.Protocol{Entry: o.entry()}, yours)
}

// called returns the line that imports the package of the constructor, as own, and how a program calls that for n nodes or processes. It
// returns an error if the constructor is no function of a package.
func (o own) called(n string) (imported, call string, err error) {
	full := runtime.FuncForPC(o.By.Pointer()).Name() // example.com/mine.New
	last := strings.LastIndex(full, "/") + 1
	pkg, name, _ := strings.Cut(full[last:], ".")
	imported = "\town \"" + full[:last] + pkg + "\"\n"
	switch t := o.By.Type(); {
	case strings.ContainsAny(name, ".[%"):
		return "", "", fmt.Errorf("the constructor of %s is no function of a package, which a test could call", o.Name)
	case t.NumIn() == 0:
		return imported, "own." + name + "()", nil
	case t.In(0) == reflect.TypeFor[messaging.Start]():
		return imported, "func(s messaging.Start) messaging.Node { return own." + name + "(s) }", nil
	}
	return imported, "own." + name + "(" + n + ")", nil
}
