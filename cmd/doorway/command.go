package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"unicode/utf8"

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
	return []*command{newCheckup().command, newCompare(), newCosts(), newList(), newRun(), newStress(), newTrace(), newCompletion(), newHelp()}
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
				return handOn(ctx, s, wrong)
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

// run runs the command line, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	s := streams{out: &output{Writer: stdout}, err: stderr, width: widthOf(stdout)}
	err := dispatch(ctx, args, s)
	return status(cmp.Or(s.out.failure, err), stderr)
}

// status returns the exit status for err, and prints err to stderr unless that
// was done.
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
		tell(stderr, wrapped(wrong.Error(), widthOf(stderr)))
		return 2
	default:
		tell(stderr, wrapped("doorway: "+err.Error(), widthOf(stderr)))
		return 1
	}
}

// wrapped breaks a line that is too long into several, of which all but the first are
// indented. Lines that are several already stay as they are.
func wrapped(line string, width int) string {
	if strings.Contains(line, "\n") || utf8.RuneCountInString(line) <= width {
		return line
	}
	return strings.Join(fill(line, width-2), "\n  ")
}

// tell writes a line to stderr. If that fails, there is nowhere to report it.
func tell(stderr io.Writer, line string) { _, _ = fmt.Fprintln(stderr, line) }

// dispatch runs the command that args name; without a name, the comparison.
func dispatch(ctx context.Context, args []string, s streams) error {
	if n := len(args); n > 0 && (args[n-1] == completing || args[n-1] == lastWord) {
		var done bool
		if args, done = s.completed(args); done {
			return nil
		}
	}
	unnamed := false
	switch {
	case len(args) == 0:
		args = []string{"compare"}
	case slices.Contains([]string{"-h", "--h", "-help", "--help"}, args[0]):
		args = slices.Concat([]string{"help"}, args[1:])
	case strings.HasPrefix(args[0], "-") && args[0] != completing:
		args, unnamed = slices.Concat([]string{"compare"}, args), true
	}
	s.args, s.in = args, new([]byte)
	if os.Getenv(mark) != "" {
		var stop context.CancelFunc
		_ = json.NewDecoder(os.Stdin).Decode(s.in) // what that program has read of its own
		ctx, stop = attached(ctx)
		defer stop()
	}
	var out strings.Builder // for the library, which ignores the errors of a writer
	err := root(s, &out).Run(ctx, slices.Concat([]string{"doorway"}, args))
	if err == nil && out.Len() > 0 {
		s.out.print(out.String())
	}
	if wrong := new(mistake); unnamed && errors.As(err, &wrong) {
		wrong.of = "" // the command that was not named
	}
	return err
}
