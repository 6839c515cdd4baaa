package main

import (
	"slices"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/mutex"
)

// A subject is a lock as the command line knows it.
type subject struct {
	name, source string
	claims       catalog.Claims
	yardstick    bool // of other making
	spins        bool // while it waits
	broken       bool // on purpose
	new          func(n int) mutex.Mutex
	lacking      error // why this build cannot make one; or nil
	max          int   // for so many processes at most; 0: any number

	// excludes returns stress.Config.Excludes for n processes; nil: all exclude each other.
	excludes func(n int) func(i, j int) bool
}

const yardstick = "sync.Mutex" // what all are related to

// known has the sources and claims of the peers in package measure.
var known = map[string]struct {
	source string
	claims catalog.Claims
}{
	"sync.Mutex": {"Go", catalog.Claims{StarvationFree: true, Fast: true}},
	"channel":    {"Go, of capacity 1", catalog.Claims{StarvationFree: true, FIFO: true, Fast: true}},
	"semaphore":  {"golang.org/x/sync", catalog.Claims{StarvationFree: true, FIFO: true, Fast: true}},
	"ticket":     {"Reed, Kanodia 1979", catalog.Claims{StarvationFree: true, FIFO: true, Fast: true}},
	"mcs":        {"Mellor-Crummey, Scott 1991", catalog.Claims{StarvationFree: true, FIFO: true, Fast: true}},
	"clh":        {"Craig 1993", catalog.Claims{StarvationFree: true, FIFO: true, Fast: true}},
}

func yardsticks() []subject {
	all := make([]subject, len(measure.Peers))
	for k, p := range measure.Peers {
		all[k] = subject{name: p.Name, source: known[p.Name].source, claims: known[p.Name].claims, yardstick: true, spins: p.Spins, new: p.New}
	}
	return all
}

func locks() []subject {
	all := make([]subject, len(catalog.Algorithms))
	for k, a := range catalog.Algorithms {
		all[k] = lock(a)
	}
	return all
}

func lock(a catalog.Algorithm) subject {
	return subject{
		name: a.Name, source: a.Source, claims: a.Claims, broken: a.Broken != nil, max: a.Max, lacking: a.Lacking(),
		new: func(n int) mutex.Mutex { return a.New(n) },
	}
}

// clusters returns the algorithms that pass messages, each on a cluster.
func clusters() []subject { return protocols(catalog.Protocols) }

func protocols(of []catalog.Protocol) []subject {
	all := make([]subject, len(of))
	for k, p := range of {
		all[k] = subject{
			name: p.Name, source: p.Source, broken: p.Broken != nil, lacking: p.Lacking(),
			new:      func(n int) mutex.Mutex { return messaging.NewCluster(n, p.New(n)) },
			excludes: p.Excludes,
		}
	}
	return all
}

// wrong returns the locks that are broken on purpose, except those that fail only if
// a process gives up.
func wrong() []subject {
	var all []subject
	for _, a := range catalog.Broken {
		if a.Broken.Refuted != variant.GivingUp {
			s := lock(a)
			s.source, s.claims = a.Broken.Source, catalog.Claims{}
			all = append(all, s)
		}
	}
	return all
}

// serves reports whether s can have n processes.
func (s subject) serves(n int) bool { return s.max == 0 || n <= s.max }

// usual returns how many processes it is run with: few, or, if it cannot have as many, its maximum.
func (s subject) usual() int {
	if s.serves(few) {
		return few
	}
	return s.max
}

// choose returns the subject of that name.
func (c *command) choose(all []subject, name string) (subject, error) {
	for _, s := range all {
		if s.name == name {
			return s, nil
		}
	}
	return subject{}, c.unknown("lock", name, names(all), lists(all))
}

// unknown returns the error that c takes nothing of that name: with the command that
// does, or with a name that c takes, or with where names are listed.
func (c *command) unknown(kind, name string, names []string, lists string) error {
	if is, use := place(name); use != "" {
		return c.mistaken("%s %s: see \"doorway %s\"", name, is, use)
	}
	if question := spelling.Suggest(name, names); question != "" {
		return c.mistaken("no %s %q: %s", kind, name, question)
	}
	return c.mistaken("no %s %q; %s", kind, name, lists)
}

// lists returns where the names of those locks are listed.
func lists(all []subject) string {
	var others []string
	for _, s := range all {
		if s.yardstick {
			others = append(others, s.name)
		}
	}
	if len(others) == 0 {
		return "doorway list shows them"
	}
	return "doorway list shows them, and there are " + spelling.Enumerate(others)
}

// place returns what the subject of that name is, and the command for it; "" if there
// is none.
func place(name string) (is, command string) {
	has := func(all []subject) bool { return slices.Contains(names(all), name) }
	for _, c := range candidates() {
		switch {
		case c.name != name:
		case c.givingUp:
			return "fails only if a process gives up", "check -give-up " + name
		case c.broken:
			return "is broken on purpose", "check " + name
		default:
			return "is for shared memory", "check " + name
		}
	}
	switch {
	case has(clusters()):
		return "passes messages", "costs " + name
	case has(protocols(catalog.Printed)):
		return "passes messages and is broken", "stress " + name
	case has(yardsticks()):
		return "is not of doorway", "compare " + name
	}
	return "", ""
}
