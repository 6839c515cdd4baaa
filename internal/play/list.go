package play

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
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
