package proved

import (
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/proof"
)

// A System is what is measured and proved of an algorithm that is no lock, in its trial.
type System struct {
	catalog.System

	Messages int     // of costs.Nodes nodes
	Time     float64 // in T, until the last of them has emitted something

	// Checked is of the trial's nodes on the links that it needs, FIFO ones or any; Crashed of
	// as many on FIFO links, of which one crashes and the others are told. Both are nil if the states
	// grow forever.
	Checked, Crashed *explore.NodesReport
}

// OfSystem measures and checks a system.
func OfSystem(s catalog.System) (row System, err error) {
	row.System = s
	if row.Messages, row.Time, err = costs.Trial(s, costs.Nodes); err != nil {
		return row, err
	}
	if s.Trial.Nodes == 0 {
		return row, nil
	}
	c := explore.NodesConfig{
		New: s.New(s.Trial.Nodes), Name: s.Name, Nodes: s.Trial.Nodes, Inputs: s.Trial.Inputs(s.Trial.Nodes), Unordered: !s.FIFO,
		Losses: s.Trial.Losses, Perpetual: s.Perpetual, Invariant: s.Invariant, Results: s.Results,
	}
	if row.Checked, err = checked(c); err != nil {
		return row, err
	}
	c.Unordered, c.Losses, c.Crashes, c.Detected = false, 0, 1, true
	row.Crashed, err = checked(c)
	return row, err
}

// Directory returns that of the package.
func (r System) Directory() string {
	name, _, _ := strings.Cut(r.Import, ".")
	for _, k := range r.Kinds {
		if own := reflect.TypeOf(k).PkgPath(); path.Base(own) == name {
			return strings.TrimPrefix(own, "example.org/doorway/")
		}
	}
	panic("proved: no kind of message of " + r.Name + " is of its package")
}

// SystemsHeading is that of a table of systems.
const SystemsHeading = "| algorithm | source | what is right | links | messages | measured | time | n | states | a crash |\n" +
	"| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"

// String returns the row of the table.
func (r System) String() string {
	links := "any"
	if r.FIFO {
		links = "FIFO"
	}
	settled, nodes, states, crash := "–", "–", "–", "–"
	if r.Time > 0 {
		settled = fmt.Sprintf("%gT", r.Time)
	}
	if r.Checked != nil {
		nodes, states, crash = strconv.Itoa(r.Checked.Nodes), proof.Thousands(r.Checked.States), verdict(r.Crashed.Results)
	}
	return "| " + strings.Join([]string{
		fmt.Sprintf("[`%s`](../%s)", r.Import, r.Directory()), r.Source, r.Right, links,
		r.Claims.Text, strconv.Itoa(r.Messages), settled,
		nodes, states, crash,
	}, " | ") + " |\n"
}
