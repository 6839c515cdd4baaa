package main

import (
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
	broken       bool // on purpose
	new          func(n int) mutex.Mutex
	max          int // for so many processes at most; 0: any number
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
		all[k] = subject{name: p.Name, source: known[p.Name].source, claims: known[p.Name].claims, yardstick: true, new: p.New}
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
		name: a.Name, source: a.Source, claims: a.Claims, broken: a.Broken != nil, max: a.Max,
		new: func(n int) mutex.Mutex { return a.New(n) },
	}
}

// clusters returns the algorithms that pass messages, each on a cluster.
func clusters() []subject { return protocols(catalog.Protocols) }

func protocols(of []catalog.Protocol) []subject {
	all := make([]subject, len(of))
	for k, p := range of {
		all[k] = subject{
			name: p.Name, source: p.Source, broken: p.Broken != nil,
			new: func(n int) mutex.Mutex { return messaging.NewCluster(n, p.New(n)) },
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

// processes returns n, or, if s cannot have as many, its maximum.
func (s subject) processes(n int) int {
	if s.serves(n) {
		return n
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
	return subject{}, c.mistaken("no lock %q: %s", name, spelling.Choices("the locks are", name, names(all)))
}
