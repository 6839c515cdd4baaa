package viewchange_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/examples/viewchange"
	"example.org/doorway/explore"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
)

const (
	file    = "../../docs/own-protocol.md"
	command = "go test -tags doorway_full ./examples/viewchange -update"
)

// A row of the page is a design, and whether clients exclude each other in it, and get
// the lock eventually.
type row struct {
	what        string
	design      viewchange.Design
	safe, lives bool
}

// faults is the design with all rules.
func faults(crashes, suspicions int, detector bool) viewchange.Design {
	return viewchange.Design{
		Majority: true, Latest: true, Promise: true,
		Views: 1 + crashes + suspicions, Crashes: crashes, Suspicions: suspicions, Detector: detector,
	}
}

func report(t *testing.T, r row) *explore.SystemReport {
	t.Helper()
	found, err := r.design.Check()
	require.NoError(t, err)
	require.Equal(t, r.safe, found.Invariant.Status == explore.Holds, r.what)
	for name, v := range found.Leads {
		require.Equal(t, r.lives, v.Status == explore.Holds, "%s: %s", r.what, name)
	}
	return found
}

func status(v explore.NodesVerdict) string {
	if v.History != nil {
		return fmt.Sprintf("fails, in %d events", v.History.Length)
	}
	return v.Status
}

// The table of rules, and a history.
func TestRules(t *testing.T) {
	var table strings.Builder
	table.WriteString("| rules | one holder | states |\n| --- | --- | ---: |\n")
	for _, r := range []row{
		{what: "none", design: viewchange.Design{Views: 2, Suspicions: 1}},
		{what: "all but Majority", design: viewchange.Design{Latest: true, Promise: true, Views: 2, Suspicions: 1}},
		{what: "all but Latest", design: viewchange.Design{Majority: true, Promise: true, Views: 2, Suspicions: 1}},
		{what: "all but Promise", design: viewchange.Design{Majority: true, Latest: true, Views: 2, Suspicions: 1}},
		{what: "all", design: faults(0, 1, false), safe: true, lives: true},
	} {
		found := report(t, r)
		states := "–" // it ends where it fails
		if r.safe {
			states = proof.Thousands(found.States)
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", r.what, status(found.Invariant), states)
		if r.what == "all but Promise" {
			history(t, "without promise", found.Invariant.History)
		}
	}
	page.Generated(t, file, "rules", command, table.String())
	found := report(t, row{design: faults(1, 0, false), safe: true})
	history(t, "without detector", found.Leads["client 0 gets the lock"].History)
}

func history(t *testing.T, name string, h *explore.History) {
	t.Helper()
	page.Generated(t, file, "history "+name, command, "```\n"+h.String()+"```\n")
}

// The table of faults.
func TestFaults(t *testing.T) {
	tier.NeedsFull(t, "visits 100,000 states")
	var table strings.Builder
	table.WriteString("| crashes | wrong suspicions | detector | views | one holder | each request is served | states | events |\n")
	table.WriteString("| ---: | ---: | --- | ---: | --- | --- | ---: | ---: |\n")
	for _, d := range []viewchange.Design{
		faults(0, 1, false), faults(0, 2, false), faults(1, 0, false), faults(1, 0, true), faults(1, 1, true),
	} {
		lives := d.Crashes == 0 || d.Detector
		found := report(t, row{design: d, safe: true, lives: lives})
		detector := map[bool]string{true: "complete", false: "none"}[d.Detector]
		fmt.Fprintf(&table, "| %d | %d | %s | %d | %s | %s | %s | %s |\n", d.Crashes, d.Suspicions, detector, d.Views,
			status(found.Invariant), status(found.Leads["client 0 gets the lock"]), proof.Thousands(found.States), proof.Thousands(found.Events))
	}
	page.Generated(t, file, "faults", command, table.String())
}

var goBlock = regexp.MustCompile("(?ms)^```Go\n(.*?)^```$")

// What the page shows of the source is in the source.
func TestPage(t *testing.T) {
	text, source := page.Read(t, file), page.Read(t, "viewchange.go")
	blocks := goBlock.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		assert.Contains(t, source, block[1])
	}
}
