package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

func newHelp() *command {
	c := newCommand("help", "[command]", "say more on a command", `
Without a command, it says which there are.
`)
	c.run = func(_ context.Context, s streams, operands []string) error {
		switch len(operands) {
		case 0:
			return overview(s.out)
		case 1:
			about, err := find(commands(), operands[0])
			if err != nil {
				return err
			}
			return about.help(s.out)
		default:
			return c.mistaken("it takes one command, not %d", len(operands))
		}
	}
	return c
}

// overview writes which commands there are.
func overview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Doorway has the classical algorithms of mutual exclusion behind sync.Locker.\n\nUsage:\n\n")
	t := table{columns: []column{{}, {}}, indent: 8}
	for _, c := range commands() {
		t.add(c.synopsis(), c.brief)
	}
	t.write(&b)
	b.WriteString(`
Without a command, it compares. Flags may stand before and behind operands.
The exit status is 0; 1 if a lock broke its promise, or could not be checked, or a
scenario did not come out as expected, or could not be read, or the output not be
written; 2 if the command line is wrong; 130 after an interrupt.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *command) synopsis() string {
	s := "doorway " + c.name
	if len(c.documented()) > 0 {
		s += " [flags]"
	}
	if c.operands != "" {
		s += " " + c.operands
	}
	return s
}

// help writes all that there is to say on c.
func (c *command) help(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s.\n%s", c.synopsis(), strings.ToUpper(c.brief[:1])+c.brief[1:], c.text)
	if flags := c.documented(); len(flags) > 0 {
		b.WriteString("\nFlags:\n\n")
		t := table{columns: []column{{}, {}}, indent: 2}
		for _, f := range flags {
			value, usage := flag.UnquoteUsage(f)
			if f.DefValue != "" && f.DefValue != "false" {
				usage += " (default " + f.DefValue + ")"
			}
			t.add(strings.TrimSpace("-"+f.Name+" "+value), usage)
		}
		t.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
