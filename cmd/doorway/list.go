package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
)

func newList() *command {
	c := newCommand("list", "[lock | algorithm ...]", "list the algorithms and their properties")
	machines := c.json()
	c.words = func() []string { return names(listable()) }
	c.run = func(_ context.Context, s streams, operands []string) error {
		for _, name := range operands {
			if _, err := c.choose(listable(), name); err != nil {
				return err
			}
		}
		l := newListing(operands)
		if *machines {
			return writeJSON(s.out, l)
		}
		return l.write(s.out, s.width)
	}
	return c
}

// listable returns all that can be listed: the algorithms first.
func listable() []subject {
	return slices.Concat(locks(), clusters(), subjects(candidates()[len(catalog.Algorithms):]), protocols(catalog.Printed), systems())
}

// systems returns the algorithms that are no locks.
func systems() []subject {
	all := make([]subject, len(catalog.Systems))
	for k, s := range catalog.Systems {
		all[k] = subject{name: s.Name, source: s.Source}
	}
	return all
}

// A listing is what doorway list shows.
type listing struct {
	Locks    []listedLock     `json:"locks"`
	Messages []listedProtocol `json:"messages"`
	Systems  []listedSystem   `json:"systems,omitempty"`
	Broken   []listedBroken   `json:"broken,omitempty"`
	Printed  []listedPrinted  `json:"printed,omitempty"`
}

type listedProtocol struct {
	Name        string   `json:"name"`
	Constructor string   `json:"constructor"`
	Source      string   `json:"source"`
	Messages    []string `json:"messages"`
	FIFO        bool     `json:"fifo"`
	Withdraws   bool     `json:"withdraws"`
	Survives    bool     `json:"survives"`
}

// A listedSystem is an algorithm that is no lock, such as an election.
type listedSystem struct {
	Name        string   `json:"name"`
	Constructor string   `json:"constructor"`
	Source      string   `json:"source"`
	Messages    []string `json:"messages"`
	Survives    bool     `json:"survives"`
}

type listedPrinted struct {
	Name        string `json:"name"`
	Constructor string `json:"constructor"`
	Source      string `json:"source"`
	Why         string `json:"why"`
}

type listedLock struct {
	Name           string `json:"name"`
	Constructor    string `json:"constructor"`
	Source         string `json:"source"`
	MaxProcesses   int    `json:"max_processes"`
	StarvationFree bool   `json:"starvation_free"`
	FIFO           bool   `json:"fifo"`
	Fast           bool   `json:"fast"`
	Registers      string `json:"registers"`
	AccessesAlone  string `json:"uncontended_accesses"`
	Numbers        string `json:"numbers,omitempty"`
	Assumes        string `json:"assumes,omitempty"`
}

type listedBroken struct {
	Name      string `json:"name"`
	Processes int    `json:"processes"`
	Why       string `json:"why"`
	GivingUp  bool   `json:"giving_up,omitempty"`
}

// newListing returns the listing of what has those names; without names, of all.
func newListing(chosen []string) listing {
	l := listing{Locks: []listedLock{}, Messages: []listedProtocol{}} // which are never null in JSON
	lists := func(name string) bool { return len(chosen) == 0 || slices.Contains(chosen, name) }
	for _, a := range catalog.Algorithms {
		if lists(a.Name) {
			l.Locks = append(l.Locks, listed(a))
		}
	}
	for _, p := range catalog.Protocols {
		if lists(p.Name) {
			l.Messages = append(l.Messages, listedMessages(p))
		}
	}
	for _, s := range catalog.Systems {
		if lists(s.Name) {
			l.Systems = append(l.Systems, listedSystem{s.Name, s.Import, s.Source, kinds(s.Protocol.Kinds), s.Survives()})
		}
	}
	for _, c := range candidates() {
		if c.broken && lists(c.name) {
			l.Broken = append(l.Broken, listedBroken{c.name, c.fewest, c.why, c.givingUp})
		}
	}
	for _, p := range catalog.Printed {
		if lists(p.Name) {
			l.Printed = append(l.Printed, listedPrinted{p.Name, p.Import, p.Source, p.Broken.Why})
		}
	}
	return l
}

func listedMessages(p catalog.Protocol) listedProtocol {
	return listedProtocol{
		Name: p.Name, Constructor: p.Import, Source: p.Source, Messages: kinds(p.Kinds),
		FIFO: p.FIFO, Withdraws: p.Withdraws(), Survives: p.Survives(),
	}
}

func kinds(of []messaging.Message) (names []string) {
	for _, k := range of {
		names = append(names, messaging.Kind(k))
	}
	return names
}

func listed(a catalog.Algorithm) listedLock {
	return listedLock{
		Name: a.Name, Constructor: a.Import, Source: a.Source, MaxProcesses: a.Max,
		StarvationFree: a.Claims.StarvationFree, FIFO: a.Claims.FIFO, Fast: a.Claims.Fast,
		Registers: a.Claims.Registers.Text, AccessesAlone: a.Claims.Alone(),
		Numbers: a.Claims.Numbers, Assumes: a.Claims.Assumes,
	}
}

// write writes the listing, with tables at most as wide as limit.
func (l listing) write(w io.Writer, limit int) error {
	var parts []string // separated by empty lines
	for _, write := range []func(*strings.Builder){
		func(b *strings.Builder) { l.writeLocks(b, limit) },
		func(b *strings.Builder) { l.writeMessages(b, limit) },
		func(b *strings.Builder) { l.writeSystems(b, limit) },
		func(b *strings.Builder) {
			l.writeBroken(b, "Broken on purpose, for doorway check and doorway stress", false)
		},
		func(b *strings.Builder) {
			l.writeBroken(b, "Broken if a process gives up, for doorway check -give-up", true)
		},
		l.writePrinted,
	} {
		var b strings.Builder
		if write(&b); b.Len() > 0 {
			parts = append(parts, b.String())
		}
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// more is the legend of a table that shows fewer columns than it has.
const more = "A wider terminal shows more columns, and -json shows everything."

func (l listing) writeLocks(b *strings.Builder, limit int) {
	if len(l.Locks) == 0 {
		return
	}
	t := table{columns: []column{{}, {}, {}, {}, {}, {extra: true}, {extra: true}}, limit: limit}
	t.add("lock", "order", "registers", "uncontended", "numbers", "source", "constructor")
	var notes []string
	for _, a := range l.Locks {
		t.add(a.Name, order(catalog.Claims{FIFO: a.FIFO, StarvationFree: a.StarvationFree}), orDash(a.Registers), orDash(a.AccessesAlone), orDash(a.Numbers), a.Source, a.Constructor)
		if a.MaxProcesses > 0 {
			notes = append(notes, fmt.Sprintf("%s is for %d processes.", a.Name, a.MaxProcesses))
		}
		if a.Assumes != "" {
			notes = append(notes, fmt.Sprintf("%s assumes %s.", a.Name, a.Assumes))
		}
	}
	if t.fit() {
		notes = append(notes, more)
	}
	t.write(b)
	b.WriteString(legendOfLocks)
	for _, n := range notes {
		paragraph(b, 0, n)
	}
}

const legendOfLocks = `
Every lock satisfies mutual exclusion and is deadlock-free. order: FIFO (and
starvation-free), starvation-free, or none; registers: in n processes;
uncontended: writes (w) and reads (r) of an entry and exit; numbers: how large
they grow. doorway compare measures them.
`

// order is the strongest order of entries that a lock claims.
func order(c catalog.Claims) string {
	switch {
	case c.FIFO && c.StarvationFree:
		return "FIFO"
	case c.StarvationFree:
		return "starvation-free"
	}
	return "none"
}

func (l listing) writeMessages(b *strings.Builder, limit int) {
	if len(l.Messages) == 0 {
		return
	}
	t := table{columns: []column{{}, {}, {}, {}, {extra: true}, {extra: true}}, limit: limit}
	t.add("algorithm", "FIFO links", "withdraws", "survives", "source", "constructor")
	for _, p := range l.Messages {
		t.add(p.Name, yesOrDash(p.FIFO), yesOrDash(p.Withdraws), yesOrDash(p.Survives), p.Source, p.Constructor)
	}
	less := t.fit()
	t.write(b)
	b.WriteString(legendOfMessages)
	if less {
		b.WriteString(more + "\n")
	}
}

const legendOfMessages = `
FIFO links: it needs them; withdraws: a request can be withdrawn (otherwise it
goes on, and the entry is left at once); survives: the others go on when a node
crashes. messaging.NewCluster(n, constructor) runs one; doorway costs counts
messages.
`

func (l listing) writeSystems(b *strings.Builder, limit int) {
	if len(l.Systems) == 0 {
		return
	}
	t := table{columns: []column{{}, {}, {extra: true}, {extra: true}}, limit: limit}
	t.add("no lock", "survives", "source", "constructor")
	for _, s := range l.Systems {
		t.add(s.Name, yesOrDash(s.Survives), s.Source, s.Constructor)
	}
	less := t.fit()
	t.write(b)
	b.WriteString(legendOfSystems)
	if less {
		b.WriteString(more + "\n")
	}
}

const legendOfSystems = `
Elections, multicasts and snapshots, for doorway check, trace and run, and
messaging.NewCluster: the input HOLD begins an election, SEND a multicast, TAKE
a snapshot. survives: the live nodes come to a result if others have crashed.
`

func yesOrDash(has bool) string {
	if has {
		return "yes"
	}
	return "-"
}

func (l listing) writePrinted(b *strings.Builder) {
	if len(l.Printed) > 0 {
		b.WriteString("As printed or tempting, for doorway stress and scenarios:\n\n")
	}
	for _, p := range l.Printed {
		fmt.Fprintf(b, "  %s (%s)\n", p.Name, p.Source)
		paragraph(b, 4, p.Why)
	}
}

// writeBroken writes the broken locks that fail only if a process gives up, or
// the others.
func (l listing) writeBroken(b *strings.Builder, title string, givingUp bool) {
	for _, v := range l.Broken {
		if v.GivingUp != givingUp {
			continue
		}
		if title != "" {
			fmt.Fprintf(b, "%s:\n\n", title)
			title = ""
		}
		fmt.Fprintf(b, "  %s, with %d processes or more:\n", v.Name, v.Processes)
		paragraph(b, 4, v.Why)
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
