package play

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/own/constructor"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// List returns what can be opened.
func List() Catalog {
	c := Catalog{Algorithms: []Algorithm{}, Openings: openings("opening"), Challenges: openings("challenge"), Longest: mostText}
	for _, o := range owns {
		c.Algorithms = append(c.Algorithms, o.row())
	}
	for _, a := range catalog.Algorithms {
		c.Algorithms = append(c.Algorithms, lockRow(a, "locks"))
	}
	for _, p := range catalog.Protocols {
		c.Algorithms = append(c.Algorithms, nodesRow(p, groupOf(p)))
	}
	for _, s := range catalog.Systems {
		c.Algorithms = append(c.Algorithms, nodesRow(s.Protocol, groupOf(s.Protocol)))
	}
	if catalog.Variants {
		for _, a := range catalog.Broken {
			c.Algorithms = append(c.Algorithms, lockRow(a, broken))
		}
		for _, p := range catalog.Printed {
			c.Algorithms = append(c.Algorithms, nodesRow(p, broken))
		}
	}
	if len(owns) > 0 {
		c.First = owns[0].Name
	} else if len(c.Openings) > 0 {
		c.First = c.Openings[0].Text
	}
	return c
}

// beginning returns the text of a run of an algorithm, with the usual number of members; "": there is none of that name.
func beginning(name string) string {
	for _, a := range List().Algorithms {
		if a.Name == name {
			return strings.ReplaceAll(a.Text, "%d", strconv.Itoa(a.Usual))
		}
	}
	return ""
}

const broken = "broken on purpose"

// groups are the classes of messaging, as a page calls them.
var groups = map[string]string{
	"permission": "permissions", "token": "tokens", "hybrid": "hierarchies", "election": "elections",
	"multicast": "multicasts", "clock": "clocks", "snapshot": "snapshots", "link": "multicasts",
}

// groupOf returns the class of messaging in which the package of a protocol is.
func groupOf(p catalog.Protocol) string {
	if p.Package() == "snapshot" {
		return groups["snapshot"]
	}
	t := reflect.TypeOf(layer.Innermost(p.New(2)(messaging.Start{Nodes: 2})))
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, class, _ := strings.Cut(t.PkgPath(), "messaging/")
	class, _, _ = strings.Cut(class, "/")
	return groups[class]
}

func nodesRow(p catalog.Protocol, group string) Algorithm {
	a := Algorithm{
		Name: p.Name, Kind: "nodes", Group: group, Source: p.Source,
		Least: 1, Most: mostNodes, Usual: 3, Text: "nodes %d; algorithm " + p.Name,
	}
	if b := p.Broken; b != nil {
		a.Source, a.Least, a.Usual = fmt.Sprintf("%s: %s", p.Source, b.Why), 2, max(b.Fewest, len(b.Requests))
		if b.Given != "" {
			a.Text += "; " + b.Given
			a.Least, a.Most = a.Usual, a.Usual
		}
	}
	return a
}

// enough are caps with which wrong locks still fail, and open much faster than without.
var enough = map[string]uint64{"graunkethakkar/just-leave": 8}

func lockRow(l catalog.Algorithm, group string) Algorithm {
	a := Algorithm{
		Name: l.Name, Kind: "lock", Group: group, Source: l.Source,
		Least: 2, Most: l.AtMost(mostProcesses), Usual: 2, Text: "processes %d; lock " + l.Name,
	}
	if b := l.Broken; b != nil {
		a.Source, a.Usual = fmt.Sprintf("%s: %s", l.Source, b.Why), b.Fewest
		if most := enough[l.Name]; most > 0 {
			a.Text += fmt.Sprintf("; cap %d", most)
		}
		if b.Refuted == variant.GivingUp {
			a.Text += "; give up"
		}
	}
	return a
}

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

// called returns the line that imports the package of the constructor, as own, and how a program calls that for n nodes or
// processes. It returns an error if the constructor is no function of a package.
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
