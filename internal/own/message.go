package own

import (
	"errors"
	"slices"
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

// A Workload is what users of a protocol do, and what faults there are.
type Workload struct {
	Requests    []int `json:"requests"` // by node, or of each; nil: once
	Unordered   bool  `json:"unordered"`
	Withdrawals int   `json:"withdrawals"`
	Crashes     int   `json:"crashes"`
	Restarts    int   `json:"restarts"`
	Detected    bool  `json:"detected"`
	Suspicions  int   `json:"suspicions"`
	Losses      int   `json:"losses"`
	Duplicates  int   `json:"duplicates"`
	AnyTime     bool  `json:"any_time"`
	Early       int   `json:"early"`
}

// UnboundedWithin is the memory in which any number of requests is explored first if the flags
// do not say how many there are: that takes a second or two.
const UnboundedWithin = 32 << 20

// For returns w for n nodes, if it is not for another number.
func (w Workload) For(n int) Workload {
	switch len(w.Requests) {
	case 0:
		w.Requests = slices.Repeat([]int{1}, n)
	case 1:
		w.Requests = slices.Repeat(w.Requests, n)
	}
	return w
}

// Onto returns c with the workload.
func (w Workload) Onto(c explore.NodesConfig) explore.NodesConfig {
	c.Requests, c.Unordered, c.Withdrawals = w.Requests, w.Unordered, w.Withdrawals
	c.Crashes, c.Restarts, c.Detected, c.Suspicions = w.Crashes, w.Restarts, w.Detected, w.Suspicions
	c.Losses, c.Duplicates, c.AnyTime, c.Early = w.Losses, w.Duplicates, w.AnyTime, w.Early
	return c
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
	var broke *history.Repeatable
	if history.Kind(err) == "" || !errors.As(err, &broke) {
		return r, nil, err
	}
	title, events, _ := strings.Cut(strings.TrimRight(broke.Err.Error(), "\n"), "\n")
	_, run, _ := strings.Cut(broke.Scenario(), "; run ")
	return nil, &explore.History{
		Title: title, Events: strings.Split(events, "\n"), Length: 1 + strings.Count(run, "."), Loop: -1, Scenario: broke.Scenario(),
	}, nil
}
