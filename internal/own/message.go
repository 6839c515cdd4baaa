package own

import (
	"errors"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/stress"
)

// Mark is before the answer: what is before it was printed by the package that is checked.
const Mark = "\x00doorway "

// A Request is what is to be done with the lock or the protocol.
type Request struct {
	Processes  int // or nodes; 0: those of the lock, or two; three nodes
	Numbers    int // a bound; 0: none
	GiveUp     bool
	Mixed      bool
	Everything bool
	Workers    int
	Memory     int // in MiB

	Scenario string  // of a protocol: to run, instead of a check
	Stress   *Stress // to stress it, instead of a check

	Progress    bool // is shown on standard error, which is a terminal
	Workload    Workload
	Draw        bool          // the run of a scenario, or one that shows a failure of a protocol, is wanted as a picture
	From        time.Duration // of a scenario: what happens before is left out
	OfLocks     []string      // flags that are given, and are for locks alone
	OfProtocols []string      // likewise
}

// A Message is the answer to a request. It has one of these.
type Message struct {
	Report   *explore.Report    `json:",omitempty"`
	Elapsed  time.Duration      `json:",omitempty"` // of the report
	Refused  *explore.LockError `json:",omitempty"`
	Nodes    *Nodes             `json:",omitempty"` // of a protocol
	Run      string             `json:",omitempty"` // of the scenario, as text or as a picture
	Stressed *stress.Report     `json:",omitempty"` // which is beside an error, if there is one
	Mistake  string             `json:",omitempty"` // in the request
	Memory   string             `json:",omitempty"` // the error that is [explore.ErrMemory]
	Error    string             `json:",omitempty"`
}

// A Nodes has what a check of a protocol found: a report, or a run in which a node
// breaks its contract.
type Nodes struct {
	Nodes    int
	Workload Workload
	Report   *explore.NodesReport `json:",omitempty"`
	Broke    *explore.History     `json:",omitempty"`
	Picture  string               `json:",omitempty"` // the first run that shows a failure
}

// CheckNodes is explore.CheckNodes that returns the run in which a node breaks its contract,
// instead of an error. In the scenario of that run, each event is a choice.
func CheckNodes(c explore.NodesConfig) (*explore.NodesReport, *explore.History, error) {
	r, err := explore.CheckNodes(c)
	if history.Kind(err) == "" {
		return r, nil, err
	}
	var broke *history.Repeatable
	if !errors.As(err, &broke) { // before the first event
		return nil, &explore.History{Title: err.Error(), Loop: -1}, nil
	}
	title, events, _ := strings.Cut(strings.TrimRight(broke.Err.Error(), "\n"), "\n")
	_, run, _ := strings.Cut(broke.Scenario(), "; run ")
	return nil, &explore.History{
		Title: title, Events: strings.Split(events, "\n"), Length: 1 + strings.Count(run, "."), Loop: -1, Scenario: broke.Scenario(),
	}, nil
}
