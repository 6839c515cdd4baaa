package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"example.org/doorway/internal/spelling"
)

// completing is the last argument when a shell asks for completions.
const completing = "--generate-shell-completion"

// configureCompletion adapts the command that writes the script for a shell.
func configureCompletion(c *cli.Command) {
	c.Hidden = false
	c.Usage = "print a shell completion script"
	c.ArgsUsage = "bash | zsh | fish | powershell"
	c.Description = text("completion")
	c.CustomHelpTemplate = commandHelp
	var shells []string
	for _, shell := range c.Commands {
		if shell.Name == "pwsh" {
			shell.Name, shell.Aliases = "powershell", []string{"pwsh"}
		}
		shell.Description, shell.CustomHelpTemplate, shell.OnUsageError = shell.Usage+".", commandHelp, misused
		shell.ArgValidator = func(_ context.Context, shell *cli.Command) error {
			if shell.NArg() > 0 {
				return &mistake{c.Name, fmt.Sprintf("it takes one shell, not %d", 1+shell.NArg())}
			}
			return nil
		}
		shell.Hidden = true // from help, where they are operands
		shells = append(shells, shell.Name)
	}
	c.OnUsageError = misused
	c.HideHelpCommand = true
	c.Action = func(context.Context, *cli.Command) error {
		if c.NArg() == 0 {
			return &mistake{c.Name, "it takes a shell: " + spelling.Enumerate(shells)}
		}
		name := c.Args().First()
		return &mistake{c.Name, fmt.Sprintf("no shell %q: the shells are %s", name, spelling.Enumerate(shells))}
	}
	c.ShellComplete = func(context.Context, *cli.Command) { complete(c, shells) }
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

// describe returns the names of commands with what they do.
func describe(all []*cli.Command) []string {
	words := make([]string, len(all))
	for k, c := range all {
		words[k] = c.Name + ":" + c.Usage
	}
	return words
}
