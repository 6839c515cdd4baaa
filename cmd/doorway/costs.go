package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/spelling"
)

const costsText = `
Every algorithm that passes messages is run in virtual time, in which a message
and a section take T each, by the code that programs import. What is measured
stands beside what is claimed, in the number of nodes N and, where a node asks
the members of a quorum, their number K. Without names all algorithms are shown.

-json writes an object with nodes and algorithms. An algorithm has name,
constructor, source, fifo (it needs FIFO links), withdraws (a request that waits
can be taken back; otherwise it goes on, and what it enters is left at once),
survives (others go on when a node crashes), and the four figures alone and
loaded (messages of an entry), delay and response (in T), each of which is an
object of claim, least, most and measured.
`

func newCosts() *command {
	c := newCommand("costs", "[algorithm ...]", "count the messages and delays of algorithms that pass messages", costsText)
	n := wholeFlag(c.flags, "n", costs.Nodes, 2, 64, "`number` of nodes")
	machines := c.flags.Bool("json", false, "write JSON")
	c.run = func(ctx context.Context, s streams, operands []string) error {
		for _, name := range operands {
			if _, err := c.chooseProtocol(catalog.Protocols, name); err != nil {
				return err
			}
		}
		costReport, err := newCostReport(ctx, newProgress(s.err), *n, operands)
		if err != nil {
			return err
		}
		if *machines {
			return writeJSON(s.out, costReport)
		}
		return costReport.write(s.out)
	}
	return c
}

// chooseProtocol returns the protocol of that name.
func (c *command) chooseProtocol(all []catalog.Protocol, name string) (catalog.Protocol, error) {
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return catalog.Protocol{}, c.mistaken("no algorithm %q: %s", name, spelling.Choices("the algorithms are", name, names))
}

// A costReport is what doorway costs shows.
type costReport struct {
	Nodes int      `json:"nodes"`
	Rows  []billed `json:"algorithms"`
}

type billed struct {
	Name        string `json:"name"`
	Constructor string `json:"constructor"`
	Source      string `json:"source"`
	FIFO        bool   `json:"fifo"`
	Withdraws   bool   `json:"withdraws"`
	Survives    bool   `json:"survives"`
	Alone       cost   `json:"alone"`
	Loaded      cost   `json:"loaded"`
	Delay       cost   `json:"delay"`
	Response    cost   `json:"response"`
}

type cost struct {
	Claim    string  `json:"claim"`
	Least    float64 `json:"least"`
	Most     float64 `json:"most"`
	Measured float64 `json:"measured"`
}

// newCostReport measures the algorithms of those names; without names, all. Once ctx is
// done it returns at once, even within the measurement of one.
func newCostReport(ctx context.Context, p *progress, n int, chosen []string) (costReport, error) {
	all := slices.DeleteFunc(slices.Clone(catalog.Protocols), func(a catalog.Protocol) bool {
		return len(chosen) > 0 && !slices.Contains(chosen, a.Name)
	})
	return watch(ctx, p, func(say func(string)) (costReport, error) {
		b := costReport{Nodes: n}
		for k, a := range all {
			if err := ctx.Err(); err != nil {
				return costReport{}, err
			}
			say(fmt.Sprintf("%d nodes: algorithm %d of %d, %s", n, k+1, len(all), a.Name))
			r, err := costs.Measure(a, n)
			if err != nil {
				return costReport{}, err
			}
			b.Rows = append(b.Rows, billed{
				a.Name, a.Import, a.Source, a.FIFO, a.Withdraws(), a.Survives(),
				cost(r.Alone), cost(r.Loaded), cost(r.Delay), cost(r.Response),
			})
		}
		return b, nil
	})
}

func (b costReport) write(w io.Writer) error {
	var text strings.Builder
	b.writeTo(&text)
	_, err := io.WriteString(w, text.String())
	return err
}

func (b costReport) writeTo(text *strings.Builder) {
	fmt.Fprintf(text, "%d nodes that pass messages, in virtual time\n\n", b.Nodes)
	b.table().write(text)
	t := table{columns: []column{{}, {}}}
	t.add("alone", "messages of an entry if one node wants to enter at a time: what is claimed, what was counted")
	t.add("loaded", "messages of an entry if all want to always")
	t.add("delay", "from an exit to the entry of a node that waits, the mean of all pairs of nodes; T: the delay of a message")
	t.add("answer", "from a request to the entry, if one node wants to enter at a time")
	t.add("FWC", legendOfMessages)
	t.add("N, K", "how many nodes there are, and how many members a quorum has")
	t.add("R, I, D", "how many others a node asks and informs; what conflicts add at most")
	text.WriteString("\n")
	t.write(text)
}

func (b costReport) table() *table {
	number := column{right: true, gap: 1}
	t := &table{columns: []column{{}, {}, {}, number, {}, number, {}, number, {}, number}}
	t.add("algorithm", "FWC", "alone", "", "loaded", "", "delay", "", "answer", "")
	for _, r := range b.Rows {
		cells := []string{r.Name, flags("FWC", r.FIFO, r.Withdraws, r.Survives)}
		for _, c := range []cost{r.Alone, r.Loaded, r.Delay, r.Response} {
			cells = append(cells, c.Claim, fmt.Sprintf("%.4g", c.Measured))
		}
		t.add(cells...)
	}
	return t
}

// flags are the letters of what has.
func flags(letters string, has ...bool) string {
	out := []byte(letters)
	for k := range out {
		if !has[k] {
			out[k] = '-'
		}
	}
	return string(out)
}
