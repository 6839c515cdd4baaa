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

const listText = `
All of them promise mutual exclusion and freedom from deadlock. The accesses of
an entry and exit alone are writes (w) and reads (r). Behind the locks for shared
memory stand the algorithms that pass messages; doorway costs says what they cost.
At the end stand those that break their promise, with what is wrong and which
command takes them. Names, of whatever is listed, leave out all else.

-json writes an object with locks, messages and, unless they are empty, broken and
printed. A lock has name, constructor, source, max_processes (0: any number),
starvation_free, fifo, fast, registers, accesses_alone, numbers (how large its
values grow, if they do) and assumes (what it needs beside atomic reads and writes,
if anything). A broken one has name, processes (the fewest with which it fails),
why, and giving_up (it fails only if somebody gives up; for doorway check). An
algorithm that passes messages has name, constructor, source, messages (the kinds),
fifo (it needs FIFO links), withdraws (a request that waits can be taken back;
otherwise it goes on, and what it enters is left at once) and survives (others go
on when a node crashes). One of printed, which fails, has why instead of the last
three.
`

func newList() *command {
	c := newCommand("list", "[lock ...]", "list the algorithms and what they promise", listText)
	machines := c.flags.Bool("json", false, "write JSON")
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
		return l.write(s.out)
	}
	return c
}

// listable returns all that can be listed: the algorithms first.
func listable() []subject {
	return slices.Concat(locks(), clusters(), subjects(candidates()[len(catalog.Algorithms):]), protocols(catalog.Printed))
}

// A listing is what doorway list shows.
type listing struct {
	Locks    []listedLock     `json:"locks"`
	Messages []listedProtocol `json:"messages"`
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
	AccessesAlone  string `json:"accesses_alone"`
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
	l := listedProtocol{
		Name: p.Name, Constructor: p.Import, Source: p.Source,
		FIFO: p.FIFO, Withdraws: p.Withdraws(), Survives: p.Survives(),
	}
	for _, k := range p.Kinds() {
		l.Messages = append(l.Messages, messaging.Kind(k))
	}
	return l
}

func listed(a catalog.Algorithm) listedLock {
	return listedLock{
		Name: a.Name, Constructor: a.Import, Source: a.Source, MaxProcesses: a.Max,
		StarvationFree: a.Claims.StarvationFree, FIFO: a.Claims.FIFO, Fast: a.Claims.Fast,
		Registers: a.Claims.Registers.Text, AccessesAlone: a.Claims.Alone(),
		Numbers: a.Claims.Numbers, Assumes: a.Claims.Assumes,
	}
}

// promises are the letters of the claims, as the legend explains them.
func promises(c catalog.Claims) string {
	letters := []byte("---")
	for k, has := range []bool{c.StarvationFree, c.FIFO, c.Fast} {
		if has {
			letters[k] = "SFC"[k]
		}
	}
	return string(letters)
}

const legendOfPromises = "SFC: free from Starvation; First come, first served; a Constant number of accesses when alone"

func (l listing) write(w io.Writer) error {
	var parts []string // between which an empty line stands
	for _, write := range []func(*strings.Builder){
		l.writeLocks,
		l.writeMessages,
		func(b *strings.Builder) {
			l.writeBroken(b, "Broken on purpose, for doorway check and doorway stress", false)
		},
		func(b *strings.Builder) {
			l.writeBroken(b, "Broken where somebody gives up, for doorway check -give-up", true)
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

func (l listing) writeLocks(b *strings.Builder) {
	if len(l.Locks) == 0 {
		return
	}
	t := table{columns: make([]column, 7)}
	t.add("lock", "constructor", "source", "SFC", "registers", "accesses alone", "numbers")
	var notes []string
	for _, a := range l.Locks {
		t.add(a.Name, a.Constructor, a.Source, promises(catalog.Claims{StarvationFree: a.StarvationFree, FIFO: a.FIFO, Fast: a.Fast}),
			orDash(a.Registers), orDash(a.AccessesAlone), orDash(a.Numbers))
		if a.MaxProcesses > 0 {
			notes = append(notes, fmt.Sprintf("%s is for %d processes.", a.Name, a.MaxProcesses))
		}
		if a.Assumes != "" {
			notes = append(notes, fmt.Sprintf("%s assumes %s.", a.Name, a.Assumes))
		}
	}
	t.write(b)
	fmt.Fprintf(b, "\n%s.\nAll exclude each other, and none deadlocks. n: processes; w: writes, r: reads.\n", legendOfPromises)
	for _, n := range notes {
		b.WriteString(n + "\n")
	}
}

func (l listing) writeMessages(b *strings.Builder) {
	if len(l.Messages) == 0 {
		return
	}
	t := table{columns: make([]column, 4)}
	t.add("algorithm", "constructor", "source", "FWC")
	for _, p := range l.Messages {
		t.add(p.Name, p.Constructor, p.Source, flags("FWC", p.FIFO, p.Withdraws, p.Survives))
	}
	t.write(b)
	fmt.Fprintf(b, "\nFWC: %s.\nA constructor is for messaging.NewCluster(n, constructor). doorway costs counts messages.\n", legendOfMessages)
}

const legendOfMessages = "needs FIFO links; can Withdraw a request (others absorb it); goes on after a Crash of others"

func (l listing) writePrinted(b *strings.Builder) {
	if len(l.Printed) > 0 {
		b.WriteString("As printed or tempting, for doorway stress and scenarios:\n\n")
	}
	for _, p := range l.Printed {
		fmt.Fprintf(b, "  %s (%s)\n    %s\n", p.Name, p.Source, p.Why)
	}
}

// writeBroken writes the broken locks that fail only if somebody gives up, or
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
		fmt.Fprintf(b, "  %s, with %d processes or more:\n    %s\n", v.Name, v.Processes, v.Why)
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
