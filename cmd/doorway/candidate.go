package main

import (
	"slices"
	"strings"

	"example.org/doorway/internal/broken"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// A candidate is a lock that can be checked.
type candidate struct {
	subject
	of       catalog.Algorithm // which it is, or from which it departs
	why      string            // how it fails, if it is broken
	fewest   int               // processes with which it does
	givingUp bool              // it does only if somebody gives up
}

// candidates returns the locks of the catalog, and then those that are broken.
func candidates() []candidate {
	var all []candidate
	for k, s := range locks() {
		all = append(all, candidate{subject: s, of: catalog.Algorithms[k]})
	}
	for _, v := range slices.Concat(broken.Variants, broken.GivingUp) {
		all = append(all, departure(v))
	}
	return all
}

// departures are the algorithms that those variants are a line away from whose
// name has another before the slash: one that is easier to read.
var departures = map[string]string{"bakery/late-number": "bakery-simple", "bakery/maxpos": "bakery-classic"}

func departure(v broken.Variant) candidate {
	from, ok := departures[v.Name]
	if !ok {
		from, _, _ = strings.Cut(v.Name, "/")
	}
	of, ok := catalog.Find(from)
	if !ok {
		panic("doorway: the catalog has nothing from which " + v.Name + " departs")
	}
	c := candidate{
		subject: subject{name: v.Name, source: of.Source + ", broken on purpose", claims: of.Claims, broken: true, max: v.Max},
		of:      of, why: v.Why, fewest: v.Processes, givingUp: v.New == nil,
	}
	c.new = func(n int) mutex.Mutex { return v.New(n) }
	if c.givingUp {
		c.new = func(n int) mutex.Mutex { return v.Abortable(n) }
	}
	return c
}

// quick is the most processes with which everything is checked in seconds.
const quick = 3

// processes is how many it is checked with if nobody says: as many as are quick,
// or as it takes to see it fail.
func (c candidate) processes() int {
	if c.broken {
		return c.fewest
	}
	n := 0
	for _, s := range c.of.Checked {
		if s.Processes <= quick {
			n = s.Processes
		}
	}
	return n
}

// enough is how far numbers need to grow for a broken lock to fail.
const enough = 4

// numbers is how far numbers may grow with n processes if nobody says: as far as
// in the check of the catalog of about that size; 0: there are none.
func (c candidate) numbers(n int) uint64 {
	if c.of.Value == nil {
		return 0
	}
	near := c.of.Checked[0]
	for _, s := range c.of.Checked {
		if s.Processes <= n {
			near = s
		}
	}
	limit := near.Numbers
	if c.broken {
		limit = min(limit, enough)
	}
	return max(limit, uint64(n)) // fewer than n are too few for any of them
}

func subjects(all []candidate) []subject {
	is := make([]subject, len(all))
	for k, c := range all {
		is[k] = c.subject
	}
	return is
}
