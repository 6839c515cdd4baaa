package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/doorway/internal/broken"
	"example.org/doorway/internal/catalog"
)

const listText = `
All of them promise mutual exclusion and freedom from deadlock. The accesses of
an entry and exit alone are writes (w) and reads (r).

-json writes an object with locks and broken. A lock has name, constructor,
source, max_processes (0: any number), starvation_free, fifo, fast, registers,
accesses_alone, numbers (how large its values grow, if they do) and assumes (what
it needs beside atomic reads and writes, if anything). A broken one has name,
processes (the fewest with which it fails), why, and giving_up (it fails only if
somebody gives up; for doorway check).
`

func newList() *command {
	c := newCommand("list", "[lock ...]", "list the locks and what they promise", listText)
	machines := c.flags.Bool("json", false, "write JSON")
	c.run = func(_ context.Context, s streams, operands []string) error {
		for _, name := range operands {
			if _, err := c.choose(locks(), name); err != nil {
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

// A listing is what doorway list shows.
type listing struct {
	Locks  []listedLock   `json:"locks"`
	Broken []listedBroken `json:"broken,omitempty"`
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

// newListing returns the listing of the locks of those names; without names, of
// all locks, and of those that are broken.
func newListing(chosen []string) listing {
	var l listing
	for _, a := range catalog.Algorithms {
		if len(chosen) == 0 {
			l.Locks = append(l.Locks, listed(a))
		}
	}
	for _, name := range chosen {
		a, _ := catalog.Find(name)
		l.Locks = append(l.Locks, listed(a))
	}
	if len(chosen) == 0 {
		for _, v := range broken.Variants {
			l.Broken = append(l.Broken, listedBroken{v.Name, v.Processes, v.Why, false})
		}
		for _, v := range broken.GivingUp {
			l.Broken = append(l.Broken, listedBroken{v.Name, v.Processes, v.Why, true})
		}
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
	var b strings.Builder
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
	t.write(&b)
	fmt.Fprintf(&b, "\n%s.\nAll exclude each other, and none deadlocks. n: processes; w: writes, r: reads.\n", legendOfPromises)
	for _, n := range notes {
		b.WriteString(n + "\n")
	}
	l.writeBroken(&b, "Broken on purpose, for doorway check and doorway stress", false)
	l.writeBroken(&b, "Broken where somebody gives up, for doorway check -give-up", true)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBroken writes the broken locks that fail only if somebody gives up, or
// the others.
func (l listing) writeBroken(b *strings.Builder, title string, givingUp bool) {
	for _, v := range l.Broken {
		if v.GivingUp != givingUp {
			continue
		}
		if title != "" {
			fmt.Fprintf(b, "\n%s:\n\n", title)
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
