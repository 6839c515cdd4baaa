// Package proved computes what holds of each message-passing algorithm of the catalog in
// every schedule of a small instance, and what that takes.
package proved

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
)

// Nodes is the number of nodes of each instance.
const Nodes = 3

// A Row is what holds of an algorithm, with any number of requests of each node if its states
// do not grow with them. Few is the report with a few, which has the messages.
type Row struct {
	Protocol catalog.Protocol
	*explore.NodesReport
	Few *explore.NodesReport
}

// within is the memory in which any number of requests is explored.
const within = 256 << 20

// once are the algorithms of which two requests of each node have more states than memory,
// or take minutes.
var once = []string{"lamport", "lamport-suppressed", "ricartagrawala-acknowledged", "echo"}

// Of computes the row of an algorithm.
func Of(p catalog.Protocol) (Row, error) {
	c := explore.NodesConfig{New: p.New(Nodes), Name: p.Name, Nodes: Nodes, Rounds: 2, UnboundedWithin: within, Perpetual: p.Perpetual}
	if slices.Contains(once, p.Name) {
		c.Rounds = 1
	}
	r, err := checked(c)
	row := Row{p, r, r}
	if err == nil && r.Requests[0] == explore.Unbounded {
		c.UnboundedWithin = 0
		row.Few, err = checked(c)
	}
	return row, err
}

// checked is explore.CheckNodes of nodes that do not panic.
func checked(c explore.NodesConfig) (*explore.NodesReport, error) {
	r, err := explore.CheckNodes(c)
	if err == nil && r.NoPanic.Status == explore.Fails {
		err = errors.New(r.NoPanic.History.String())
	}
	return r, err
}

// Heading is that of a table of rows.
const Heading = "| algorithm | requests | states | mutual exclusion | deadlock-free | starvation-free | FIFO | by stamp | happened-before | bypasses | messages | queue |\n" +
	"| --- | ---: | ---: | --- | --- | --- | --- | --- | --- | ---: | ---: | ---: |\n"

// String returns the row of the table.
func (r Row) String() string {
	cells := []string{"`" + r.Protocol.Name + "`", orAny(r.Requests[0]), proof.Thousands(r.States)}
	for _, v := range []explore.NodesVerdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.FIFO, r.ByStamp, r.HappenedBefore} {
		cells = append(cells, verdict(v))
	}
	cells = append(cells, orAny(r.Bypasses)+", "+orAny(r.BypassesByAll), r.messages(), strconv.Itoa(r.Queue))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func verdict(v explore.NodesVerdict) string {
	switch v.Status {
	case explore.Fails:
		return fmt.Sprintf("fails: %d", v.History.Length)
	case explore.Unknown:
		return "–"
	}
	return v.Status
}

// orAny returns a number that may be unbounded.
func orAny(k int) string {
	if k == explore.Unbounded {
		return "any"
	}
	return strconv.Itoa(k)
}

// messages returns the most messages an entry.
func (r Row) messages() string {
	few := r.Few
	switch {
	case few.Messages == explore.Unbounded:
		return "any number"
	case few.Entries == 0:
		return "–"
	case few.Entries == 1:
		return strconv.Itoa(few.Messages)
	}
	return fmt.Sprintf("%d/%d", few.Messages, few.Entries)
}
