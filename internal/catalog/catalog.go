// Package catalog lists the algorithms of the library and their claims, for tests,
// benchmarks, the command line and the README.
package catalog

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"example.org/doorway/bakery"
	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mcs"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/tournament"
)

// An Algorithm is a lock for shared memory: one row of the first list.
type Algorithm struct {
	Entry
	New    func(n int) mutex.Abortable // for 1 <= n <= Max processes
	Max    int                         // 0: no limit
	Locker func() sync.Locker          // for any number of goroutines, without mutex.Share; nil: it has none
	Use    string                      // what to use it for
	Claims Claims

	// Checked has the sizes at which the claims are checked over every
	// interleaving, the smaller ones first.
	Checked []Size

	// Largest returns the largest value of a register, if no register has a number
	// and some have values above n; otherwise it is nil.
	Largest func(n int) uint64

	// Number returns the number that is part of a register's value, and Value the
	// largest value with a number; nil if no register has a number.
	Number func(value uint64, n int) uint64
	Value  func(number uint64, n int) uint64
}

// A Size is the size of a check.
type Size struct {
	Processes int
	Numbers   uint64 // for locks whose numbers grow: the largest allowed
	Long      bool   // it takes minutes
}

// Cap returns the largest value that a register may hold in a check of size s; 0: no limit.
func (a Algorithm) Cap(s Size) uint64 {
	if a.Value == nil {
		return 0
	}
	return a.Value(s.Numbers, s.Processes)
}

// sizes returns those from two to the most processes.
func sizes(most int) []Size {
	var all []Size
	for n := 2; n <= most; n++ {
		all = append(all, Size{Processes: n})
	}
	return all
}

// itself is for registers that hold only a number.
func itself(v uint64, _ int) uint64 { return v }

// Claims are the claimed properties of an algorithm. Mutual exclusion and
// deadlock-freedom are not listed: all algorithms have them.
type Claims struct {
	StarvationFree bool
	FIFO           bool   // first come, first served, from the end of the doorway on
	Bypasses       int    // the most entries of another process after a waiter has completed its doorway; -1: any number
	Fast           bool   // a constant number of uncontended accesses
	SafeRegisters  bool   // tolerates safe registers: mutual exclusion holds if those with a single writer are safe
	Registers      Count  // their number, all processes together
	Waiting        Count  // those of them that only processes use that wait; the zero value: none
	Writes, Reads  Count  // accesses of an uncontended entry and exit
	Numbers        string // the bound of values that grow
	Assumes        string // what it needs besides atomic reads and writes
}

// Alone returns the accesses of an uncontended entry and exit as text: "3w 2nr".
func (c Claims) Alone() string {
	if c.Writes.Text == "" {
		return ""
	}
	return c.Writes.factor() + "w " + c.Reads.factor() + "r"
}

// A Count is a number that depends on the number of processes.
type Count struct {
	Text string          // the formula, in n
	Of   func(n int) int // the same, to be computed
}

// factor returns the formula with parentheses if it needs them in front of a unit.
func (c Count) factor() string {
	if strings.ContainsAny(c.Text, "+-") {
		return "(" + c.Text + ")"
	}
	return c.Text
}

func constant(k int) Count { return Count{fmt.Sprint(k), func(int) int { return k }} }

// A term is a function of n in which a Count is linear.
type term struct {
	text string
	of   func(n int) int
}

// A process accesses the registers of all others, or four at a time, or climbs a binary tree.
var (
	perProcess = term{"n", func(n int) int { return n }}
	fours      = term{"⌈n/4⌉", func(n int) int { return (n + 3) / 4 }}
	levels     = term{"⌈log n⌉", func(n int) int { return bits.Len(uint(n - 1)) }}
	inner      = term{"Σ⌈n/2^k⌉", innerNodes}
)

// innerNodes is the number of inner nodes of that tree that have a leaf below them: the sum of
// ⌈n/2^k⌉ for k = 1, 2, … up to the first that is 1.
func innerNodes(n int) (nodes int) {
	for n > 1 {
		n = (n + 1) / 2
		nodes += n
	}
	return nodes
}

// linear is a·t + b, in the usual notation: "n", "2n+1", "8⌈n/4⌉-2".
func linear(a int, t term, b int) Count {
	text := t.text
	if a != 1 {
		text = fmt.Sprint(a) + text
	}
	if b != 0 {
		text += fmt.Sprintf("%+d", b)
	}
	return Count{text, func(n int) int { return a*t.of(n) + b }}
}

// Algorithms are all algorithms for shared memory.
var Algorithms = []Algorithm{
	{
		Entry: Entry{Name: "peterson", Import: "peterson.New()", Source: "Peterson 1981"}, Max: 2,
		New: func(int) mutex.Abortable { return peterson.New() },
		Use: "two goroutines",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, Fast: true, SafeRegisters: true,
			Registers: constant(3), Writes: constant(3), Reads: constant(1),
		},
		Checked: sizes(2),
	},
	{
		Entry: Entry{Name: "tournament", Import: "tournament.New(n)", Source: "Peterson, Fischer 1977"},
		New:   func(n int) mutex.Abortable { return tournament.New(n) },
		Use:   "starvation freedom in O(log n) accesses",
		Claims: Claims{
			StarvationFree: true, Bypasses: -1, SafeRegisters: true,
			Registers: linear(3, inner, 0), Writes: linear(3, levels, 0), Reads: linear(1, levels, 0),
		},
		Checked: sizes(6),
	},
	{
		Entry: Entry{Name: "lamportfast", Import: "lamportfast.New(n)", Source: "Lamport 1987"},
		New:   func(n int) mutex.Abortable { return lamportfast.New(n) },
		Use:   "throughput under contention; a process may starve",
		Claims: Claims{
			Bypasses: -1, Fast: true, SafeRegisters: true,
			Registers: linear(1, perProcess, 2), Writes: constant(5), Reads: constant(2),
		},
		Checked: sizes(5),
	},
	{
		Entry: Entry{Name: "graunkethakkar", Import: "graunkethakkar.New(n)", Source: "Graunke, Thakkar 1990"},
		New:   func(n int) mutex.Abortable { return graunkethakkar.New(n) },
		Use:   "FIFO order",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, Fast: true, SafeRegisters: true, Assumes: "an atomic swap",
			Registers: linear(2, perProcess, 1), Writes: constant(2), Reads: constant(5),
		},
		Checked: []Size{{Processes: 2}, {Processes: 3}, {Processes: 4}},
		Largest: func(n int) uint64 { return uint64(n<<1|1)<<2 | 3 },
	},
	{
		Entry:  Entry{Name: "mcs", Import: "mcs.New(n)", Source: "Auslander et al. 2003"},
		New:    func(n int) mutex.Abortable { return mcs.New(n) },
		Locker: func() sync.Locker { return new(mutex.FIFO) },
		Use:    "FIFO order, as mutex.FIFO",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, Fast: true, SafeRegisters: true, Assumes: "an atomic swap",
			Registers: linear(2, perProcess, 2), Waiting: linear(2, perProcess, 0), Writes: constant(2), Reads: constant(3),
		},
		Checked: sizes(4),
		Largest: func(n int) uint64 { return uint64(n + 1) },
	},
	{
		Entry: Entry{Name: "bakery", Import: "bakery.New(n)", Source: "Lamport 1974, packed"},
		New:   func(n int) mutex.Abortable { return bakery.New(n) },
		Use:   "FIFO order, by loads and stores alone",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, Numbers: "unbounded",
			Registers: linear(4, fours, 0), Writes: constant(3), Reads: linear(8, fours, -2),
		},
		Checked: []Size{{Processes: 2, Numbers: 8}, {Processes: 3, Numbers: 8}, {Processes: 4, Numbers: 6, Long: true}},
		Number:  func(v uint64, n int) uint64 { return v >> bits.Len(uint(n)) },
		Value:   func(number uint64, n int) uint64 { return (number+1)<<bits.Len(uint(n)) - 1 },
	},
	{
		Entry: Entry{Name: "bakery-classic", Import: "bakery.NewClassic(n)", Source: "Lamport 1974"},
		New:   func(n int) mutex.Abortable { return bakery.NewClassic(n) },
		Use:   "the bakery as published",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, SafeRegisters: true, Numbers: "unbounded",
			Registers: linear(2, perProcess, 0), Writes: constant(4), Reads: linear(3, perProcess, 0),
		},
		Checked: []Size{{Processes: 2, Numbers: 8}, {Processes: 3, Numbers: 8}, {Processes: 4, Numbers: 6}},
		Number:  itself, Value: itself,
	},
	{
		Entry: Entry{Name: "bakery-blackwhite", Import: "bakery.NewBlackWhite(n)", Source: "Taubenfeld 2004"},
		New:   func(n int) mutex.Abortable { return bakery.NewBlackWhite(n) },
		Use:   "FIFO order with bounded numbers",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, SafeRegisters: true, Numbers: "n",
			Registers: linear(2, perProcess, 1), Writes: constant(5), Reads: linear(3, perProcess, 3),
		},
		Checked: []Size{{Processes: 2, Numbers: 2}, {Processes: 3, Numbers: 3}, {Processes: 4, Numbers: 4, Long: true}},
		Number:  func(v uint64, _ int) uint64 { return v >> 1 },
		Value:   func(number uint64, _ int) uint64 { return number<<1 | 1 },
	},
	{
		Entry: Entry{Name: "bakery-simple", Import: "bakery.NewSimple(n)", Source: "Sabel 2020"},
		New:   func(n int) mutex.Abortable { return bakery.NewSimple(n) },
		Use:   "study only: assumes an atomic step",
		Claims: Claims{
			StarvationFree: true, FIFO: true, Bypasses: 1, SafeRegisters: true, Numbers: "unbounded", Assumes: "an atomic step",
			Registers: linear(1, perProcess, 0), Writes: constant(2), Reads: linear(2, perProcess, 0),
		},
		Checked: []Size{{Processes: 2, Numbers: 8}, {Processes: 3, Numbers: 8}, {Processes: 4, Numbers: 6}},
		Number:  itself, Value: itself,
	},
}

// Broken are the locks that are wrong: first those that violate mutual exclusion,
// then those that are correct unless a process aborts. Their other fields, the
// claims included, are those of the algorithms from which they depart.
var Broken = rowsOf(variant.Locks, broken)

// broken returns the row of the variant.
func broken(v variant.Variant) Algorithm {
	a, _ := find(v.Of, Algorithms)
	a.Entry = Entry{v.Name, fmt.Sprintf("catalog.Lock(%q, n)", v.Name), a.Source + ", " + v.Source, &v}
	a.New = wrongLocks[v.Name]
	if a.New == nil {
		a.New = func(int) mutex.Abortable { panic("catalog: " + a.Lacking().Error()) }
	}
	return a
}

// Find returns the algorithm with that name, broken ones included, and reports
// whether there is one.
func Find(name string) (Algorithm, bool) {
	return find(name, Algorithms, Broken)
}

// For reports whether the algorithm serves n processes.
func (a Algorithm) For(n int) bool { return n >= 1 && n <= a.AtMost(1<<20) }

// AtMost returns n, or Max if the algorithm serves fewer.
func (a Algorithm) AtMost(n int) int {
	if a.Max == 0 {
		return n
	}
	return min(n, a.Max)
}
