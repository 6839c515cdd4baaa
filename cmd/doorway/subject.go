package main

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/mutex"
)

// A kind is what a subject is to the command line.
type kind int

const (
	right   kind = iota // a lock for shared memory
	wrong               // one that is broken on purpose
	leaving             // one that fails only if a process gives up
	passing             // a lock of nodes that pass messages
	printed             // one that is broken
	system              // nodes that are no lock
	peer                // a lock of other making
	foreign             // a lock or a protocol of another module
)

// A subject is what the command line knows by a name.
type subject struct {
	kind
	catalog.Entry // of a peer, or of another module, without a constructor

	claims catalog.Claims
	spins  bool                    // while it waits
	new    func(n int) mutex.Mutex // nil: it is no lock
	max    int                     // for so many processes at most; 0: any number

	lock     catalog.Algorithm // for shared memory
	protocol catalog.Protocol  // that passes messages, also that of a system
	system   catalog.System
}

const yardstick = "sync.Mutex" // what all are related to

// subjects returns all of the first kind, then all of the next.
func subjects(kinds ...kind) (some []subject) {
	var all []subject
	for _, a := range slices.Concat(catalog.Algorithms, catalog.Broken) {
		all = append(all, lock(a))
	}
	for _, p := range slices.Concat(catalog.Protocols, catalog.Printed) {
		all = append(all, protocol(p))
	}
	for _, s := range catalog.Systems {
		all = append(all, subject{kind: system, Entry: s.Entry, system: s, protocol: s.Protocol})
	}
	for _, p := range measure.Peers {
		claims := catalog.Claims{StarvationFree: true, FIFO: p.FIFO, Fast: true}
		named := catalog.Entry{Name: p.Name, Source: p.Source}
		all = append(all, subject{kind: peer, Entry: named, claims: claims, spins: p.Spins, new: p.New})
	}
	for _, k := range kinds {
		for _, s := range all {
			if s.kind == k {
				some = append(some, s)
			}
		}
	}
	return some
}

func lock(a catalog.Algorithm) subject {
	s := subject{Entry: a.Entry, claims: a.Claims, max: a.Max, lock: a, new: func(n int) mutex.Mutex { return a.New(n) }}
	switch {
	case a.Broken == nil:
		s.kind = right
	case a.Broken.Refuted == variant.GivingUp:
		s.kind = leaving
	default:
		s.kind = wrong
	}
	return s
}

// protocol returns a lock of nodes that pass messages, on a cluster.
func protocol(p catalog.Protocol) subject {
	of := func(n int) mutex.Mutex { return cluster.New(n, p.New(n)) }
	s := subject{kind: passing, Entry: p.Entry, protocol: p, new: of}
	if p.Broken != nil {
		s.kind = printed
	}
	return s
}

func (s subject) String() string { return fmt.Sprintf("%s (%s)", s.Name, s.Source) }

// serves reports whether s can have n processes.
func (s subject) serves(n int) bool { return s.max == 0 || n <= s.max }

// usual returns how many processes it is run with: few, or, if it cannot have as many, its maximum.
func (s subject) usual() int {
	if s.serves(few) {
		return few
	}
	return s.max
}

// broken reports whether s is a lock that is broken on purpose.
func (s subject) broken() bool { return s.kind == wrong || s.kind == leaving }

// why says how a lock or a protocol is broken; "" if it is not.
func (s subject) why() string {
	if s.Broken == nil {
		return ""
	}
	return s.Broken.Why
}

// quick is the most processes with which everything is checked in seconds.
const quick = 3

// processes returns the default number of processes to check a lock with: as many as
// are quick, or as it takes to see it fail.
func (s subject) processes() int {
	if s.broken() {
		return s.Broken.Fewest
	}
	n := 0
	for _, size := range s.lock.Checked {
		if size.Processes <= quick {
			n = size.Processes
		}
	}
	return n
}

// enough is how far numbers need to grow for a broken lock to fail.
const enough = 4

// numbers returns the default bound on the numbers of a lock with n processes: as far as
// in the check of the catalog of about that size; 0: there are none.
func (s subject) numbers(n int) uint64 {
	if s.lock.Value == nil {
		return 0
	}
	near := s.lock.Checked[0]
	for _, size := range s.lock.Checked {
		if size.Processes <= n {
			near = size
		}
	}
	limit := near.Numbers
	if s.broken() {
		limit = min(limit, enough)
	}
	return max(limit, uint64(n)) // fewer than n are too few for any of them
}

// find returns the subject of that name.
func find(all []subject, name string) (subject, bool) {
	k := slices.IndexFunc(all, func(s subject) bool { return s.Name == name })
	if k < 0 {
		return subject{}, false
	}
	return all[k], true
}

// choose returns the subject of that name. An error says what kind of name it is not.
func (c *command) choose(all []subject, kind, name string) (subject, error) {
	if s, is := find(all, name); is {
		return s, nil
	}
	return subject{}, c.unknown(kind, name, lists(all))
}

// unknown returns the error that c takes nothing of that name: with the command that
// does, or with a name that c takes, or with where names are listed.
func (c *command) unknown(kind, name, lists string) error {
	if is, use := place(name); use != "" {
		return c.mistaken("%s %s: see \"doorway %s\"", name, is, use)
	}
	if _, own := exportedOwn(name); own {
		return c.mistaken("%s is not of doorway list: doorway check and doorway stress take what is your own%s", name, takers[c.Name])
	}
	if question := spelling.Suggest(name, c.words()); question != "" {
		return c.mistaken("no %s %q: %s", kind, name, question)
	}
	return c.mistaken("no %s %q; %s", kind, name, lists)
}

// takers are what else takes a lock or a protocol of one's own, by the command that does not.
var takers = map[string]string{
	"compare": ", and bench.Compare measures it in a benchmark",
	"costs":   ", doorway trace shows a run of a protocol, and sim.Run counts its messages in a test",
}

// chosen returns those of all that have one of the names, in order; without names, all.
func (c *command) chosen(all []subject, kind string, names []string) ([]subject, error) {
	for _, name := range names {
		if _, err := c.choose(all, kind, name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(s subject) bool { return len(names) > 0 && !slices.Contains(names, s.Name) }), nil
}

// lists returns where the names of subjects are listed.
func lists(all []subject) string {
	var others []string
	for _, s := range all {
		if s.kind == peer {
			others = append(others, s.Name)
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
	s, known := find(subjects(right, wrong, leaving, passing, printed, system, peer), name)
	if !known {
		return "", ""
	}
	places := map[kind]struct{ is, command string }{
		right:   {"is for shared memory", "check"},
		wrong:   {"is broken on purpose", "check"},
		leaving: {"fails only if a process gives up", "check -give-up"},
		passing: {"passes messages", "costs"},
		printed: {"passes messages and is broken", "stress"},
		system:  {"passes messages and is no lock", "check"},
		peer:    {"is not of doorway", "compare"},
	}
	return places[s.kind].is, fmt.Sprintf("%s %s", places[s.kind].command, name)
}
