package proof_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
)

// nodes is the number of nodes of each instance.
const nodes = 3

// A row is what holds of an algorithm, with any number of requests of each node if its states
// do not grow with them.
type row struct {
	protocol catalog.Protocol
	*explore.NodesReport
}

// within is the memory in which any number of requests is explored.
const within = 256 << 20

// once are the algorithms of which two requests of each node have more states than memory,
// or take minutes.
var once = []string{"lamport", "lamport-suppressed", "ricartagrawala-acknowledged", "echo"}

// rowOf computes the row of an algorithm.
func rowOf(p catalog.Protocol) (row, error) {
	c := explore.NodesConfig{New: p.New(nodes), Name: p.Name, Nodes: nodes, Rounds: 2, UnboundedWithin: within, Perpetual: p.Perpetual}
	if slices.Contains(once, p.Name) {
		c.Rounds = 1
	}
	r, err := checked(c)
	return row{p, r}, err
}

// checked is explore.CheckNodes of nodes that do not panic.
func checked(c explore.NodesConfig) (*explore.NodesReport, error) {
	r, err := explore.CheckNodes(c)
	if err == nil && r.NoPanic.Status == explore.Fails {
		err = errors.New(r.NoPanic.History.String())
	}
	return r, err
}

// heading is that of a table of rows.
const heading = "| algorithm | requests | states | mutual exclusion | deadlock-free | starvation-free | FIFO | by stamp | happened-before | bypasses |\n" +
	"| --- | ---: | ---: | --- | --- | --- | --- | --- | --- | ---: |\n"

// String returns the row of the table.
func (r row) String() string {
	cells := []any{"`" + r.protocol.Name + "`", orAny(r.Requests[0]), spelling.Thousands(r.States)}
	for _, v := range []explore.NodesVerdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.FIFO, r.ByStamp, r.HappenedBefore} {
		cells = append(cells, verdict(v))
	}
	return spelling.Row(append(cells, orAny(r.Bypasses)+", "+orAny(r.BypassesByAll))...)
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
