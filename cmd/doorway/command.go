package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"example.org/doorway/internal/spelling"
)

// A command is one of the things that doorway does.
type command struct {
	name     string
	operands string // as the help shows them
	brief    string // one line
	text     string // the rest of the help
	flags    *flag.FlagSet
	args     []string // the command line, once it is run
	run      func(ctx context.Context, s streams, operands []string) error
}

// streams are where a command writes.
type streams struct{ out, err io.Writer }

// commands returns all commands, new ones for each call, since their flags
// keep what they were set to.
func commands() []*command {
	return []*command{newCheck(), newCompare(), newCosts(), newList(), newRun(), newStress(), newHelp()}
}

func newCommand(name, operands, brief, text string) *command {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what it would print is returned as well
	return &command{name: name, operands: operands, brief: brief, text: text, flags: flags}
}

// alias lets a flag be spelled in another way too, of which no help speaks.
func (c *command) alias(other, name string) { c.flags.Var(c.flags.Lookup(name).Value, other, "") }

// documented returns the flags that the help has: all but the other spellings.
func (c *command) documented() (all []*flag.Flag) {
	c.flags.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			all = append(all, f)
		}
	})
	return all
}

// errViolated says that a lock broke its promise, which is printed already.
var errViolated = errors.New("the lock broke its promise")

// A mistake is an error of whoever wrote the command line.
type mistake struct{ of, what string }

func (m *mistake) Error() string {
	if m.of == "" {
		return "doorway: " + m.what
	}
	return "doorway " + m.of + ": " + m.what
}

// mistaken returns a mistake in the arguments of c.
func (c *command) mistaken(format string, args ...any) error {
	return &mistake{c.name, fmt.Sprintf(format, args...)}
}

// run runs the command line, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	return status(dispatch(ctx, args, streams{stdout, stderr}), stderr)
}

// status returns the exit status for err, and says on stderr what it does not
// know to be said.
func status(err error, stderr io.Writer) int {
	var wrong *mistake
	var other exited
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errViolated):
		return 1
	case errors.As(err, &other):
		return int(other)
	case errors.Is(err, context.Canceled):
		tell(stderr, "doorway: interrupted")
		return 130
	case errors.As(err, &wrong):
		tell(stderr, wrong.Error())
		return 2
	default:
		tell(stderr, "doorway: "+err.Error())
		return 1
	}
}

// tell writes a line to stderr. Where that fails there is nobody left to tell.
func tell(stderr io.Writer, line string) { _, _ = fmt.Fprintln(stderr, line) }

// dispatch runs the command that args name; without a name, the comparison.
func dispatch(ctx context.Context, args []string, s streams) error {
	all := commands()
	if len(args) == 0 {
		args = []string{"compare"}
	}
	switch first := args[0]; {
	case first == "-h" || first == "-help" || first == "--help":
		return overview(s.out)
	case strings.HasPrefix(first, "-"):
		args = append([]string{"compare"}, args...)
	}
	c, err := find(all, args[0])
	if err != nil {
		return err
	}
	operands, err := c.parse(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return c.help(s.out)
	}
	if err != nil {
		return err
	}
	c.args = args
	return c.run(ctx, s, operands)
}

func find(all []*command, name string) (*command, error) {
	var names []string
	for _, c := range all {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return nil, &mistake{"", fmt.Sprintf("no command %q: %s", name, spelling.Choices("the commands are", name, names))}
}

// parse sets the flags of c, wherever they stand among the operands, which it
// returns. What follows "--" is an operand whatever it looks like.
func (c *command) parse(args []string) (operands []string, err error) {
	for len(args) > 0 {
		if err := c.flags.Parse(args); err != nil {
			return nil, c.explain(err)
		}
		rest := c.flags.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(operands, rest...), nil
		}
		if len(rest) == 0 {
			return operands, nil
		}
		operands, args = append(operands, rest[0]), rest[1:]
	}
	return operands, nil
}

// explain adds the choices to the error for a flag that c does not have.
func (c *command) explain(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	unknown, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return c.mistaken("%v", err)
	}
	var names []string
	for _, f := range c.documented() {
		names = append(names, "-"+f.Name)
	}
	return c.mistaken("no flag %s: %s", unknown, spelling.Choices("the flags are", unknown, names))
}

// writeJSON writes v for machines.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// names returns the names of subjects.
func names(all []subject) []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, s := range all {
			if !yield(s.name) {
				return
			}
		}
	})
}
