package catalog

import "strings"

// Markdown returns the algorithms as a table of the README.
func Markdown() string {
	var b strings.Builder
	row := func(cells ...string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	row("lock", "source", "starvation-free", "FIFO", "fast", "registers", "accesses alone", "numbers up to")
	row("---", "---", "---", "---", "---", "---", "---", "---")
	for _, a := range Algorithms {
		c := a.Claims
		source := a.Source
		if c.Assumes != "" {
			source += "; assumes " + c.Assumes
		}
		numbers := c.Numbers
		if numbers == "" {
			numbers = "–"
		}
		row("`"+a.Import+"`", source, yes(c.StarvationFree), yes(c.FIFO), yes(c.Fast), c.Registers.Text, c.Alone(), numbers)
	}
	return b.String()
}

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}
