package main

import (
	"context"
	"fmt"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
)

func newCosts() *command {
	c := newCommand("costs", "[algorithm ...]", "count the messages and delays of message-passing algorithms")
	n := costs.Nodes
	c.whole(&n, "n", 2, 100_000, "`number` of nodes, 2 to 100000 (default 13)")
	c.json()
	c.words = func() []string { return catalog.Names(subjects(passing)) }
	c.run = func(ctx context.Context, s streams, operands []string) error {
		chosen, err := c.chosen(subjects(passing), "algorithm", operands)
		if err != nil {
			return err
		}
		costReport, err := newCostReport(ctx, newProgress(s.err), n, chosen)
		if err == nil {
			s.report(costReport, costReport.text)
		}
		return err
	}
	return c
}

type costReport struct {
	Nodes int      `json:"nodes"`
	Rows  []billed `json:"algorithms"`
}

type billed struct {
	listed
	FIFO      bool         `json:"fifo"`
	Withdraws bool         `json:"withdraws"`
	Survives  bool         `json:"survives"`
	Alone     costs.Figure `json:"low_load"`
	Loaded    costs.Figure `json:"high_load"`
	Delay     costs.Figure `json:"delay"`
	Response  costs.Figure `json:"response"`
}

// newCostReport measures the algorithms. Once ctx is done it returns at once, even within the measurement of one.
func newCostReport(ctx context.Context, far *progress, n int, all []subject) (costReport, error) {
	return watch(ctx, far, func(say func(string)) (costReport, error) {
		b := costReport{Nodes: n}
		for k, of := range all {
			if err := ctx.Err(); err != nil {
				return costReport{}, err
			}
			say(fmt.Sprintf("%d nodes: algorithm %d of %d, %s", n, k+1, len(all), of.Name))
			p := of.protocol
			r, err := costs.Measure(p, n)
			if err != nil {
				return costReport{}, err
			}
			is := listed{p.Name, p.Import, p.Source}
			b.Rows = append(b.Rows, billed{is, p.FIFO, p.Withdraws(), p.Survives(), r.Alone, r.Loaded, r.Delay, r.Response})
		}
		return b, nil
	})
}

// text returns the report, with tables at most as wide as limit.
func (b costReport) text(limit int) string {
	tables := b.table(limit, 0, 4)
	text := tables.String()
	if !tables.fits() {
		text = b.table(limit, 0, 2).String() + "\n" + b.table(limit, 2, 4).String()
	}
	var t table
	t.add("low load", "messages of an entry if one node requests at a time")
	t.add("high load", "messages of an entry if every node always requests")
	t.add("delay", "synchronization delay: from an exit to the entry of a waiting node, the mean over all pairs of nodes; T: the delay of a message")
	t.add("response", "from a request to the entry, at low load")
	t.add("N, K", "the number of nodes, and the size of a quorum")
	if b.Nodes > costs.All {
		t.add("random", fmt.Sprintf("with more than %d nodes: requests at low load, and pairs of nodes, are drawn at random", costs.All))
		t.add("–", "not measured: it takes more than 10⁸ deliveries or 2 GiB of memory")
	}
	t.add("R, I, D", "the other nodes that a node asks and informs; what conflicts add at most")
	title := fmt.Sprintf("%d nodes that pass messages, in virtual time: claims beside measurements\n\n", b.Nodes)
	return title + text + "\n" + t.String()
}

// table returns the table of some of the four costs.
func (b costReport) table(limit, from, to int) *table {
	t := &table{columns: []column{{}}, limit: limit}
	heads := []string{"algorithm"}
	for _, name := range []string{"low load", "high load", "delay", "response"}[from:to] {
		t.columns = append(t.columns, column{}, column{right: true, gap: 1})
		heads = append(heads, name, "")
	}
	t.add(heads...)
	for _, r := range b.Rows {
		cells := []string{r.Name}
		for _, c := range []costs.Figure{r.Alone, r.Loaded, r.Delay, r.Response}[from:to] {
			measured := fmt.Sprintf("%.4g", c.Measured)
			if c.Missing != "" {
				measured = "–"
			}
			cells = append(cells, c.Claim, measured)
		}
		t.add(cells...)
	}
	return t
}
