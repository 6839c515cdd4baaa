package own

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/explore"
)

// A Workload is what users of a protocol do, and what faults there are.
type Workload struct {
	Requests    Requests `json:"requests"`
	Unordered   bool     `json:"unordered"`
	Withdrawals int      `json:"withdrawals"`
	Crashes     int      `json:"crashes"`
	Restarts    int      `json:"restarts"`
	Detected    bool     `json:"detected"`
	Suspicions  int      `json:"suspicions"`
	Losses      int      `json:"losses"`
	Duplicates  int      `json:"duplicates"`
	AnyTime     bool     `json:"any_time"`
	Early       int      `json:"early"`

	Users  string `json:"-"` // what the user of each node does, if the nodes are no locks
	Within int64  `json:"-"` // the memory in which any number of requests is explored first, in bytes
}

// UnboundedWithin is the memory in which any number of requests is explored first if the flags
// do not say how many there are: that takes a second or two.
const UnboundedWithin = 32 << 20

// Sized returns w for n nodes, by node. What w leaves open is as usual: if n is 0, the number of nodes; if w has no
// requests, these for as many nodes, and one of each node for others.
func (w Workload) Sized(n int, usual Workload) (Workload, error) {
	given := len(w.Requests)
	switch {
	case n == 0 && given > 1:
		n = given
	case n == 0:
		n = len(usual.Requests)
	case given > 1 && n != given:
		return w, mistake{fmt.Errorf("-rounds %v: it is for %d nodes, and -n for %d", w.Requests, given, n)}
	}
	switch {
	case given == 1:
		w.Requests = slices.Repeat(w.Requests, n)
	case given == 0 && n == len(usual.Requests):
		w.Requests, w.Within = usual.Requests, usual.Within
	case given == 0:
		w.Requests, w.Within = slices.Repeat(Requests{1}, n), usual.Within
	}
	return w, nil
}

// Onto returns c with the workload.
func (w Workload) Onto(c explore.NodesConfig) explore.NodesConfig {
	c.Requests, c.Unordered, c.Withdrawals, c.UnboundedWithin = w.Requests, w.Unordered, w.Withdrawals, w.Within
	c.Crashes, c.Restarts, c.Detected, c.Suspicions = w.Crashes, w.Restarts, w.Detected, w.Suspicions
	c.Losses, c.Duplicates, c.AnyTime, c.Early = w.Losses, w.Duplicates, w.AnyTime, w.Early
	return c
}

// String says what users do, and which faults there are.
func (w Workload) String() string {
	text := ""
	switch all := slices.Compact(slices.Clone(w.Requests)); {
	case w.Users != "":
		text = "whose users each " + w.Users
	case len(all) > 1:
		text = fmt.Sprintf("which request %v times at most", w.Requests)
	case all[0] == explore.Unbounded:
		text = "each of which requests any number of times"
	case all[0] == 1:
		text = "each of which requests at most once"
	default:
		text = fmt.Sprintf("each of which requests at most %d times", all[0])
	}
	return text + "; " + w.Onto(explore.NodesConfig{}).Faults()
}

// Requests is how often nodes request: by node, or one number for all; nil: it is not given.
type Requests []int

// Unbounded stands for any number of requests.
const Unbounded = "unbounded"

// String returns the numbers as the flag -rounds has them.
func (r Requests) String() string {
	all := make([]string, len(r))
	for i, k := range r {
		if all[i] = strconv.Itoa(k); k == explore.Unbounded {
			all[i] = Unbounded
		}
	}
	return strings.Join(all, ",")
}
