package main

import (
	"context"
	"embed"
	"flag"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// help has the text of the help of each command, and of what -json writes.
//
//go:embed help
var help embed.FS

func text(topic string) string {
	text, err := help.ReadFile("help/" + topic + ".txt")
	if err != nil {
		panic("doorway: " + err.Error())
	}
	return strings.TrimSpace(string(text))
}

const commandHelp = `Usage: {{.FullName}}{{if .VisibleFlags}} [flags]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{.Description}}
{{if .VisibleFlags}}
Flags:

{{range .VisibleFlags}}  {{wrap .String 8}}
{{end}}{{end}}`

// columns is the width of output that is not written to a wider terminal.
const columns = 80

// The library prints flags as Go's own tools do: with one dash, and the usage
// below.
func init() {
	cli.FlagStringer = func(f cli.Flag) string {
		of := f.(cli.DocGenerationFlag)
		value, usage := flag.UnquoteUsage(&flag.Flag{Usage: of.GetUsage()})
		if !of.TakesValue() {
			value = ""
		}
		return strings.TrimSpace("-"+f.Names()[0]+" "+value) + "\n" + usage
	}
	cli.HelpPrinter = func(w io.Writer, template string, data any) {
		cli.HelpPrinterCustom(w, template, data, map[string]any{"wrapAt": func() int { return columns }})
	}
}

var overview = `Doorway measures, stresses and model-checks algorithms for mutual exclusion.

Usage: doorway [command] [flags] [operand ...]

Commands:

{{range .VisibleCommands}}  {{.Name}}	{{.Usage}}
{{end}}  help	explain a command, or what -json writes

` + text("doorway") + "\n"

func newHelp() *command {
	c := newCommand("help", "[command | json]", "explain a command, or what -json writes")
	c.words = func() []string { return append(describe(c.Root()), "json") }
	c.run = func(ctx context.Context, s streams, operands []string) error {
		switch n := len(operands); {
		case n == 0:
			return cli.ShowRootCommandHelp(c.Root())
		case n > 1:
			return c.mistaken("it takes one command, not %d", n)
		case operands[0] == "json":
			s.out.print(text("json") + "\n")
			return nil
		case c.Root().Command(operands[0]) == nil:
			return noCommand(c.Command, operands[0])
		}
		return cli.ShowCommandHelp(ctx, c.Root(), operands[0])
	}
	return c
}
