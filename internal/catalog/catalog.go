// Package catalog is the one list of the algorithms of the library, from which
// tests, benchmarks, the command line and the README take what they show.
package catalog

import (
	"example.org/doorway/bakery"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/tournament"
)

// An Algorithm is one row of the catalog.
type Algorithm struct {
	Name   string                      // as the command line takes it
	Import string                      // the constructor, as a program writes it
	Source string                      // author and year
	New    func(n int) mutex.Abortable // for 1 <= n <= Max processes
	Max    int                         // 0: no limit
	Claims Claims
}

// Claims are what an algorithm promises beside mutual exclusion and freedom
// from deadlock, which all of them do.
type Claims struct {
	StarvationFree bool
	FIFO           bool   // first come, first served, from the end of the doorway on
	Fast           bool   // a constant number of accesses when alone
	Registers      string // how many, for n processes
	Alone          string // accesses of an entry and exit when alone: writes and reads
	Numbers        string // how large the values grow, where they do
	Assumes        string // what it needs beside atomic reads and writes
}

// Algorithms are all algorithms for shared memory.
var Algorithms = []Algorithm{
	{
		Name: "peterson", Import: "peterson.New()", Source: "Peterson 1981", Max: 2,
		New:    func(int) mutex.Abortable { return peterson.New() },
		Claims: Claims{StarvationFree: true, FIFO: true, Fast: true, Registers: "3", Alone: "3w 1r"},
	},
	{
		Name: "tournament", Import: "tournament.New(n)", Source: "Peterson, Fischer 1977",
		New:    func(n int) mutex.Abortable { return tournament.New(n) },
		Claims: Claims{StarvationFree: true, Registers: "3(2^⌈log n⌉-1)", Alone: "3⌈log n⌉w ⌈log n⌉r"},
	},
	{
		Name: "lamportfast", Import: "lamportfast.New(n)", Source: "Lamport 1987",
		New:    func(n int) mutex.Abortable { return lamportfast.New(n) },
		Claims: Claims{Fast: true, Registers: "n+2", Alone: "5w 2r"},
	},
	{
		Name: "bakery", Import: "bakery.New(n)", Source: "Lamport 1974, packed",
		New:    func(n int) mutex.Abortable { return bakery.New(n) },
		Claims: Claims{StarvationFree: true, FIFO: true, Registers: "n", Alone: "3w 2nr", Numbers: "unbounded"},
	},
	{
		Name: "bakery-classic", Import: "bakery.NewClassic(n)", Source: "Lamport 1974",
		New:    func(n int) mutex.Abortable { return bakery.NewClassic(n) },
		Claims: Claims{StarvationFree: true, FIFO: true, Registers: "2n", Alone: "4w 3nr", Numbers: "unbounded"},
	},
	{
		Name: "bakery-blackwhite", Import: "bakery.NewBlackWhite(n)", Source: "Taubenfeld 2004",
		New:    func(n int) mutex.Abortable { return bakery.NewBlackWhite(n) },
		Claims: Claims{StarvationFree: true, FIFO: true, Registers: "2n+1", Alone: "6w (3n+2)r", Numbers: "n"},
	},
	{
		Name: "bakery-simple", Import: "bakery.NewSimple(n)", Source: "Sabel 2020",
		New:    func(n int) mutex.Abortable { return bakery.NewSimple(n) },
		Claims: Claims{StarvationFree: true, FIFO: true, Registers: "n", Alone: "2w 2nr", Numbers: "unbounded", Assumes: "an atomic step"},
	},
}

// Find returns the algorithm of that name, and whether there is one.
func Find(name string) (Algorithm, bool) {
	for _, a := range Algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}

// For returns whether the algorithm serves n processes.
func (a Algorithm) For(n int) bool { return n >= 1 && (a.Max == 0 || n <= a.Max) }
