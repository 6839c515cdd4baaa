package main

import (
	"slices"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/variant"
)

// A candidate is a lock that can be checked.
type candidate struct {
	subject
	of       catalog.Algorithm
	why      string // how it fails, if it is broken
	fewest   int    // processes with which it does
	givingUp bool   // it does only if a process gives up
	own      bool   // it is not of the library, and what it promises is unknown
}

// candidates returns the locks of the catalog, and then those that are broken.
func candidates() []candidate {
	var all []candidate
	for _, a := range slices.Concat(catalog.Algorithms, catalog.Broken) {
		c := candidate{subject: lock(a), of: a}
		if v := a.Broken; v != nil {
			c.why, c.fewest, c.givingUp = v.Why, v.Fewest, v.Refuted == variant.GivingUp
		}
		all = append(all, c)
	}
	return all
}

// quick is the most processes with which everything is checked in seconds.
const quick = 3

// processes returns the default number of processes to check it with: as many as
// are quick, or as it takes to see it fail.
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

// numbers returns the default bound on numbers with n processes: as far as
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
