package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
)

// A command is one of the commands of doorway. The library parses its flags,
// writes its help and completes its operands.
type command struct {
	*cli.Command
	words func() []string // that its operands can be
	run   func(ctx context.Context, s streams, operands []string) error
}

// streams are where a command writes, and how it was called.
type streams struct {
	out   *output
	err   io.Writer
	in    *[]byte  // standard input, if it has been read; otherwise nil
	args  []string // the command line
	width int      // of the output, in columns; 0: 80
	json  bool     // it is for machines
}

// An output is where a command writes. It remembers the first error, by which the command fails,
// and writes nothing more.
type output struct {
	io.Writer
	failure error
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.failure == nil {
		n, o.failure = o.Writer.Write(p)
	}
	return n, o.failure
}

func (o *output) print(text string) { _, _ = io.WriteString(o, text) }

// json writes v for machines.
func (o *output) json(v any) {
	e := json.NewEncoder(o)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); o.failure == nil {
		o.failure = err
	}
}

// say writes a line or more for people.
func (s streams) say(text string) {
	if !s.json {
		s.out.print(text)
	}
}

// report writes what a command found out: for machines, or for people.
func (s streams) report(found any, text func(limit int) string) {
	if s.json {
		s.out.json(found)
	} else {
		s.out.print(text(s.width))
	}
}

// commands returns all commands, new ones for each call, since their flags
// keep their values.
func commands() []*command {
	return []*command{newCheckup().command, newCompare(), newCosts(), newList(), newPage().command, newRun(), newStress(), newTrace(), newCompletion(), newHelp()}
}

func newCommand(name, operands, brief string) *command {
	return &command{
		Command: &cli.Command{
			Name: name, ArgsUsage: operands, Usage: brief, Description: text(name),
			CustomHelpTemplate: commandHelp, OnUsageError: misused,
			CommandNotFound: func(ctx context.Context, c *cli.Command, _ string) { // with -help, an operand is taken for one
				_ = cli.ShowCommandHelp(ctx, c.Root(), c.Name)
			},
		},
		words: func() []string { return nil },
	}
}

// root returns the command that dispatches to all others.
func root(s streams, out io.Writer) *cli.Command {
	top := &cli.Command{
		Name:                          "doorway",
		Writer:                        out,
		ErrWriter:                     s.err,
		HideHelpCommand:               true, // there is one of our own
		SkipFlagParsing:               true, // the flags are those of the commands
		CustomRootCommandHelpTemplate: overview,
		EnableShellCompletion:         true,
		ShellCompletionCommandName:    scripts,
		ExitErrHandler:                func(context.Context, *cli.Command, error) {}, // status does that
		Action: func(_ context.Context, c *cli.Command) error {
			return noCommand(c, c.Args().First())
		},
	}
	top.ShellComplete = func(_ context.Context, c *cli.Command) { complete(c, describe(c)) }
	for _, c := range commands() {
		c.Action = func(ctx context.Context, _ *cli.Command) error {
			s := s
			s.json = c.Bool("json")
			err := c.run(ctx, s, c.Args().Slice())
			if wrong := new(catalog.LackingError); errors.As(err, &wrong) {
				return handOn(ctx, s, wrong, true)
			}
			return err
		}
		c.ShellComplete = func(context.Context, *cli.Command) { complete(c.Command, c.words()) }
		top.Commands = append(top.Commands, c.Command)
	}
	return top
}

// errViolated reports that a lock broke its promise. It is printed already.
var errViolated = errors.New("the lock broke its promise")

// A mistake is an error in the command line.
type mistake struct{ of, what string }

func (m *mistake) Error() string { return strings.TrimSpace("doorway "+m.of) + ": " + m.what }

// mistaken returns a mistake in the arguments of c.
func (c *command) mistaken(format string, args ...any) error {
	return &mistake{c.Name, fmt.Sprintf(format, args...)}
}

// operand returns the only operand, of that kind. What says what it can be, in the error that there is none.
func (c *command) operand(s streams, operands []string, kind, what string) (string, error) {
	if len(operands) == 1 {
		return operands[0], nil
	}
	if len(operands) == 0 {
		return "", c.mistaken("it takes %s", what)
	}
	note := ""
	flag := func(o string) bool { return strings.HasPrefix(o, "-") }
	if k := slices.IndexFunc(operands, flag); k >= 0 && slices.Contains(s.args, "--") {
		note = fmt.Sprintf(" (after --, %s is an operand)", operands[k])
	}
	return "", c.mistaken("it takes one %s, not %d%s", kind, len(operands), note)
}

// given returns which flags of those names are given.
func (c *command) given(names ...[]string) []string {
	return slices.DeleteFunc(slices.Concat(names...), func(name string) bool { return !c.IsSet(name) })
}

// misused returns the error of the library as a mistake. For an unknown flag it
// adds the flags that c has.
func misused(_ context.Context, c *cli.Command, err error, _ bool) error {
	unknown, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !ok {
		return &mistake{c.Name, strings.Replace(err.Error(), "parse error", "it is true or false", 1)}
	}
	var names, others []string
	for _, f := range c.VisibleFlags() {
		names = append(names, "-"+f.Names()[0])
	}
	what := fmt.Sprintf("no flag %s: %s", unknown, spelling.Choices("the flags are", unknown, names))
	for _, o := range c.Root().VisibleCommands() {
		if slices.ContainsFunc(o.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), strings.TrimLeft(unknown, "-")) }) {
			others = append(others, "doorway "+o.Name)
		}
	}
	if len(others) > 0 {
		what += "; it is a flag of " + spelling.Enumerate(others)
	}
	return &mistake{c.Name, what}
}

func noCommand(c *cli.Command, name string) error {
	var names []string
	for _, c := range c.Root().VisibleCommands() {
		names = append(names, c.Name)
	}
	hint := spelling.Choices("the commands are", name, append(names, "help"))
	if _, use := place(name); use != "" {
		hint = fmt.Sprintf("did you mean \"doorway %s\"?", use)
	}
	return &mistake{"", fmt.Sprintf("no command %q: %s", name, hint)}
}
