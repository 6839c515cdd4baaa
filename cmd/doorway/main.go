// Doorway measures, stresses and model-checks the locks of the library beside
// those of Go, counts the messages of the message-passing algorithms, and runs
// scenarios of them. "doorway help" explains its commands and the exit status.
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
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command line, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	s := streams{out: &output{Writer: stdout}, err: stderr, width: widthOf(stdout)}
	err := dispatch(ctx, args, s)
	return status(cmp.Or(s.out.failure, err), stderr)
}

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
