package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"example.org/doorway/internal/spelling"
)

// The last argument is one of these when a shell asks for completions.
const (
	completing = "--generate-shell-completion" // of scripts of the library: the word to complete is before it if it is a flag
	lastWord   = "--complete-last-word"        // of our own: the word to complete is before it
)

// inBash is a script of our own, since that of the library needs the package
// bash-completion.
//
//go:embed completion.bash
var inBash string

// scripts is the command of the library that has those for other shells.
const scripts = "completion-scripts"

func newCompletion() *command {
	c := newCommand("completion", "bash | zsh | fish | powershell", "print a shell completion script")
	shells := []string{"bash", "zsh", "fish", "powershell"}
	c.words = func() []string { return shells }
	c.run = func(ctx context.Context, s streams, operands []string) error {
		shell, err := c.operand(s, operands, "shell", "a shell: "+spelling.Enumerate(shells))
		if err != nil {
			return err
		}
		switch shell {
		case "bash":
			s.out.print(inBash)
			return nil
		case "powershell":
			shell = "pwsh"
		}
		of := c.Root().Command(scripts).Command(shell)
		if of == nil {
			return c.mistaken("no shell %q: the shells are %s", shell, spelling.Enumerate(shells))
		}
		return of.Action(ctx, of)
	}
	return c
}

// nothing says to a script of our own that there is nothing to complete, and that
// files are nothing either.
const nothing = ":\n"

// completed returns the arguments by which the library completes args, which end with one of ours. It
// reports whether there is nothing to do: a flag has to have a value, which is a file or cannot be completed.
func (s streams) completed(args []string) (library []string, done bool) {
	last := len(args) - 1
	words, ours := args[:last], args[last] == lastWord && last > 0
	if ours {
		words = args[:last-1] // and not the one to complete
	}
	if value := flagBefore(root(s, io.Discard), words); value != nil {
		text, ok := value.(*cli.StringFlag)
		if isFile := ok && text.TakesFile; args[last] == lastWord && !isFile {
			s.out.print(nothing)
		}
		return nil, true
	}
	if ours && strings.HasPrefix(args[last-1], "-") {
		words = args[:last]
	}
	return append(slices.Clone(words), completing), false
}

// flagBefore returns the last of words if it is a flag that takes a value.
func flagBefore(top *cli.Command, words []string) cli.Flag {
	if len(words) == 0 || slices.Contains(words, "--") {
		return nil
	}
	name := words[0]
	if strings.HasPrefix(name, "-") {
		name = "compare"
	}
	c, last := top.Command(name), words[len(words)-1]
	if c == nil || !strings.HasPrefix(last, "-") {
		return nil
	}
	for _, f := range c.Flags {
		takes, ok := f.(cli.DocGenerationFlag)
		if ok && takes.TakesValue() && slices.Contains(f.Names(), strings.TrimLeft(last, "-")) {
			return f
		}
	}
	return nil
}

// complete writes what can stand in place of the last argument of c, or after
// it: flags, with as many dashes as it has, or words. A shell leaves out the
// words that do not begin as the one it completes.
func complete(c *cli.Command, words []string) {
	last := c.Args().Get(max(0, c.NArg()-1))
	if flag := strings.TrimLeft(last, "-"); flag != last {
		words = nil
		for _, f := range c.VisibleFlags() {
			if name := f.Names()[0]; strings.HasPrefix(name, flag) {
				words = append(words, strings.TrimSuffix(last, flag)+name)
			}
		}
	}
	for _, w := range words {
		_, _ = fmt.Fprintln(c.Root().Writer, w) // into memory
	}
}

// describe returns the names of all commands with what they do.
func describe(top *cli.Command) (words []string) {
	for _, c := range top.Commands {
		if !c.Hidden {
			words = append(words, c.Name+":"+c.Usage)
		}
	}
	return words
}
