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

// A Row is what holds of an algorithm, with so many requests of each node.
type Row struct {
	Protocol catalog.Protocol
	Requests int
	*explore.NodesReport
}

// once are the algorithms of which two requests of each node have more states than memory,
// or take minutes.
var once = []string{"lamport", "lamport-suppressed", "ricartagrawala-acknowledged", "echo"}

// Of computes the row of an algorithm.
func Of(p catalog.Protocol) (Row, error) {
	row := Row{Protocol: p, Requests: 2}
	if slices.Contains(once, p.Name) {
		row.Requests = 1
	}
	var err error
	row.NodesReport, err = checked(explore.NodesConfig{
		New: p.New(Nodes), Name: p.Name, Nodes: Nodes, Rounds: row.Requests, Perpetual: p.Perpetual,
	})
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
	cells := []string{"`" + r.Protocol.Name + "`", strconv.Itoa(r.Requests), proof.Thousands(r.States)}
	for _, v := range []explore.NodesVerdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.FIFO, r.ByStamp, r.HappenedBefore} {
		cells = append(cells, verdict(v))
	}
	cells = append(cells, fmt.Sprintf("%d, %d", r.Bypasses, r.BypassesByAll), r.messages(), strconv.Itoa(r.Queue))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func verdict(v explore.NodesVerdict) string {
	switch v.Status {
	case explore.Fails:
		return fmt.Sprintf("fails: %d", v.History.Length)
	case explore.Holds:
		return "holds"
	}
	return "–"
}

// messages returns the most messages an entry.
func (r Row) messages() string {
	switch {
	case r.Messages == explore.Unbounded:
		return "any number"
	case r.Entries == 0:
		return "–"
	case r.Entries == 1:
		return strconv.Itoa(r.Messages)
	}
	return fmt.Sprintf("%d/%d", r.Messages, r.Entries)
}
