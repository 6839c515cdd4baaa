package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
)

func newList() *command {
	c := newCommand("list", "[lock | algorithm ...]", "list the algorithms and their properties")
	c.json()
	listable := func() []subject { return subjects(right, passing, wrong, leaving, printed, system) }
	c.words = func() []string { return catalog.Names(listable()) }
	c.run = func(_ context.Context, s streams, operands []string) error {
		chosen, err := c.chosen(listable(), "lock or algorithm", operands)
		if err == nil {
			l := newListing(chosen)
			s.report(l, l.text)
		}
		return err
	}
	return c
}

type listing struct {
	Locks    []listedLock     `json:"locks"`
	Messages []listedProtocol `json:"messages"`
	Systems  []listedSystem   `json:"systems,omitempty"`
	Broken   []listedBroken   `json:"broken,omitempty"`
	Printed  []listedPrinted  `json:"printed,omitempty"`
}

// A listed is what all have that a program can make.
type listed struct {
	Name        string `json:"name"`
	Constructor string `json:"constructor"`
	Source      string `json:"source"`
}

type listedLock struct {
	listed
	MaxProcesses   int    `json:"max_processes"`
	StarvationFree bool   `json:"starvation_free"`
	FIFO           bool   `json:"fifo"`
	Fast           bool   `json:"fast"`
	Registers      string `json:"registers"`
	AccessesAlone  string `json:"uncontended_accesses"`
	Numbers        string `json:"numbers,omitempty"`
	Assumes        string `json:"assumes,omitempty"`
}

type listedProtocol struct {
	listed
	Messages  []string `json:"messages"`
	FIFO      bool     `json:"fifo"`
	Withdraws bool     `json:"withdraws"`
	Survives  bool     `json:"survives"`
}

// A listedSystem is an algorithm that is no lock, such as an election.
type listedSystem struct {
	listed
	Messages []string `json:"messages"`
	Survives bool     `json:"survives"`
}

type listedBroken struct {
	Name      string `json:"name"`
	Processes int    `json:"processes"`
	Why       string `json:"why"`
	GivingUp  bool   `json:"giving_up,omitempty"`
}

type listedPrinted struct {
	listed
	Why string `json:"why"`
}

func newListing(chosen []subject) listing {
	l := listing{Locks: []listedLock{}, Messages: []listedProtocol{}} // which are never null in JSON
	for _, s := range chosen {
		a, p, of, is := s.lock, s.protocol, s.system, listed{s.Name, s.Import, s.Source}
		switch s.kind {
		case right:
			l.Locks = append(l.Locks, listedLock{
				is, a.Max, a.Claims.StarvationFree, a.Claims.FIFO, a.Claims.Fast,
				a.Claims.Registers.Text, a.Claims.Alone(), a.Claims.Numbers, a.Claims.Assumes,
			})
		case passing:
			l.Messages = append(l.Messages, listedProtocol{is, kinds(p.Kinds), p.FIFO, p.Withdraws(), p.Survives()})
		case system:
			l.Systems = append(l.Systems, listedSystem{is, kinds(of.Kinds), of.Survives()})
		case wrong, leaving:
			l.Broken = append(l.Broken, listedBroken{s.Name, s.Broken.Fewest, s.Broken.Why, s.kind == leaving})
		case printed:
			l.Printed = append(l.Printed, listedPrinted{is, s.Broken.Why})
		}
	}
	return l
}

func kinds(of []messaging.Message) (names []string) {
	for _, k := range of {
		names = append(names, messaging.Kind(k))
	}
	return names
}

// text returns the listing, with tables at most as wide as limit.
func (l listing) text(limit int) string {
	var parts []string // separated by empty lines
	for _, of := range []struct {
		*table
		below string
	}{{l.locks(), legendOfLocks + l.notes()}, {l.messages(), legendOfMessages}, {l.systems(), legendOfSystems}} {
		if len(of.rows) == 1 {
			continue // its heads
		}
		of.limit = limit
		if of.fit() {
			of.below += more
		}
		parts = append(parts, of.String()+of.below)
	}
	var broken, leaving, printed string
	for _, v := range l.Broken {
		text := fmt.Sprintf("  %s, with %d processes or more:\n", v.Name, v.Processes) + paragraph(4, v.Why)
		if v.GivingUp {
			leaving += text
		} else {
			broken += text
		}
	}
	for _, p := range l.Printed {
		printed += fmt.Sprintf("  %s (%s)\n", p.Name, p.Source) + paragraph(4, p.Why)
	}
	for _, of := range []struct{ title, text string }{
		{"Broken on purpose, for doorway check and doorway stress", broken},
		{"Broken if a process gives up, for doorway check -give-up", leaving},
		{"As printed or tempting, for doorway stress and scenarios", printed},
	} {
		if of.text != "" {
			parts = append(parts, of.title+":\n\n"+of.text)
		}
	}
	return strings.Join(parts, "\n")
}

// more is below a table that shows fewer columns than it has.
const more = "A wider terminal shows more columns, and -json shows everything.\n"

func (l listing) locks() *table {
	t := &table{columns: []column{5: {extra: true}, 6: {extra: true}}}
	t.add("lock", "order", "registers", "uncontended", "numbers", "source", "constructor")
	for _, a := range l.Locks {
		t.add(a.Name, order(a.FIFO, a.StarvationFree),
			cmp.Or(a.Registers, "-"), cmp.Or(a.AccessesAlone, "-"), cmp.Or(a.Numbers, "-"), a.Source, a.Constructor)
	}
	return t
}

// notes says what some of the locks need.
func (l listing) notes() (text string) {
	for _, a := range l.Locks {
		if a.MaxProcesses > 0 {
			text += fmt.Sprintf("%s is for %d processes.\n", a.Name, a.MaxProcesses)
		}
		if a.Assumes != "" {
			text += fmt.Sprintf("%s assumes %s.\n", a.Name, a.Assumes)
		}
	}
	return text
}

const legendOfLocks = `
Every lock satisfies mutual exclusion and is deadlock-free. order: FIFO (and
starvation-free), starvation-free, or none; registers: in n processes;
uncontended: writes (w) and reads (r) of an entry and exit; numbers: how large
they grow. doorway compare measures them.
`

// order is the strongest order of entries that a lock claims.
func order(fifo, starvationFree bool) string {
	switch {
	case fifo && starvationFree:
		return "FIFO"
	case starvationFree:
		return "starvation-free"
	}
	return "none"
}

func (l listing) messages() *table {
	t := &table{columns: []column{4: {extra: true}, 5: {extra: true}}}
	t.add("algorithm", "FIFO links", "withdraws", "survives", "source", "constructor")
	for _, p := range l.Messages {
		t.add(p.Name, yesOrDash(p.FIFO), yesOrDash(p.Withdraws), yesOrDash(p.Survives), p.Source, p.Constructor)
	}
	return t
}

const legendOfMessages = `
FIFO links: it needs them; withdraws: a request can be withdrawn (otherwise it
goes on, and the entry is left at once); survives: the others go on when a node
crashes. cluster.New(n, constructor) runs one; doorway costs counts
messages.
`

func (l listing) systems() *table {
	t := &table{columns: []column{2: {extra: true}, 3: {extra: true}}}
	t.add("around the lock", "survives", "source", "constructor")
	for _, s := range l.Systems {
		t.add(s.Name, yesOrDash(s.Survives), s.Source, s.Constructor)
	}
	return t
}

const legendOfSystems = `
Elections, multicasts and snapshots, for doorway check, trace and run, and
cluster.New: the input HOLD begins an election, SEND a multicast, TAKE
a snapshot. survives: the live nodes come to a result if others have crashed.
`

func yesOrDash(has bool) string {
	if has {
		return "yes"
	}
	return "-"
}
