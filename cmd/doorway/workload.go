package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/own"
	"example.org/doorway/internal/proof"
)

// ofProtocol gives c the flags of a workload.
func (c *command) ofProtocol(w *own.Workload) {
	few := func(to *int, name, usage string) {
		c.whole(to, name, 0, 100, "of a protocol: how "+usage+", a `number` from 0 to 100")
	}
	c.add("rounds", "of a protocol: how often each node requests, a `number`, unbounded, or one by node, such as 2,1,0 "+
		"(default: unbounded or what takes a second or two)", (*requests)(&w.Requests))
	c.is(&w.Unordered, "unordered", "of a protocol: messages of a link may overtake each other")
	few(&w.Withdrawals, "withdrawals", "many requests are aborted at most")
	few(&w.Crashes, "crashes", "many nodes crash at most")
	few(&w.Restarts, "restarts", "many of the crashed nodes start again at most")
	c.is(&w.Detected, "detected", "of a protocol: the other nodes are told of each crash; otherwise none is")
	few(&w.Suspicions, "suspicions", "often a node is told of a crash that has not happened at most")
	few(&w.Losses, "losses", "many messages are lost at most")
	few(&w.Duplicates, "duplicates", "many messages arrive twice at most")
	c.is(&w.AnyTime, "any-time", "of a protocol: timers expire at any time; otherwise only while a node waits and nothing else can happen", "anytime")
	few(&w.Early, "early", "many timers expire early at most (without -any-time), as if a message took longer")
}

// requests is the value of -rounds: by node, or one for all.
type requests []int

const unbounded = "unbounded" // any number

func (r *requests) Set(s string) error {
	*r = nil
	words := strings.Split(s, ",")
	for _, word := range words {
		k, err := strconv.Atoi(word)
		switch {
		case word == unbounded:
			k = explore.Unbounded
		case err != nil || k < 0 || k > 100 || k == 0 && len(words) == 1:
			return errors.New("it is an integer from 1 to 100, unbounded, or from 0 on one for each node, such as 2,1,0")
		}
		*r = append(*r, k)
	}
	return nil
}

func (r *requests) Get() any { return *r }

func (r requests) String() string {
	all := make([]string, len(r))
	for i, k := range r {
		if all[i] = strconv.Itoa(k); k == explore.Unbounded {
			all[i] = unbounded
		}
	}
	return strings.Join(all, ",")
}

// misfit returns which flags of a workload do not fit together, as an error.
func (u *checkup) misfit() error {
	switch w := u.Workload; {
	case w.Detected && w.Crashes == 0:
		return u.mistaken("-detected takes -crashes, which are what is detected")
	case w.AnyTime && w.Early > 0:
		return u.mistaken("-any-time and -early exclude each other: timers that expire at any time expire early any number of times")
	case w.Restarts > w.Crashes:
		return u.mistaken("-restarts %d: it is at most -crashes, which is %d", w.Restarts, w.Crashes)
	}
	return nil
}

// A workload is what users of a protocol do, and what faults there are.
type workload struct {
	own.Workload
	users  string // what the user of each node does, if the nodes are no locks
	within int64  // the memory in which any number of requests is explored first; see [own.UnboundedWithin]
}

// sizes has the instances that a second or two suffice for, where that is less than two
// requests of each of three nodes.
var sizes = map[string][]int{
	"lamport":                               {2, 2},
	"lamport-suppressed":                    {2, 2},
	"ricartagrawala":                        {1, 1, 1},
	"ricartagrawala-acknowledged":           {1, 1, 1},
	"roucairolcarvalho":                     {1, 1, 1},
	"roucairolcarvalho-withdrawing":         {1, 1, 1},
	"majority-choosing":                     {1, 1, 1},
	"caosinghal":                            {1, 1, 1},
	"echo":                                  {2, 2},
	"hierarchy-suzukikasami-ricartagrawala": {1, 1, 1},
}

// usually returns the workload of a protocol for which no flag says anything: a broken one
// fails.
func usually(name string) (w workload) {
	w.Requests, w.within = []int{2, 2, 2}, own.UnboundedWithin
	if r, ok := proof.RefutationOf(name); ok {
		w.Requests, w.Withdrawals, w.within = r.Requests, r.Withdrawals, 0
	} else if requests, ok := sizes[name]; ok {
		w.Requests = requests
	} else if strings.HasPrefix(name, catalog.Recovery) {
		w.Requests = []int{1, 1, 1}
	}
	return w
}

// sized returns the workload of each node of a protocol, with what the flags leave open: as many nodes and
// requests as take a second or two.
func (u *checkup) sized(name string) (w workload, err error) {
	w.Workload = u.Workload
	usual, n, given := usually(name), u.Processes, len(w.Requests)
	switch {
	case n == 0 && given > 1:
		n = given
	case n == 0:
		n = len(usual.Requests)
	case given > 1 && n != given:
		return w, u.mistaken("-rounds %s: it is for %d nodes, and -n for %d", requests(w.Requests), given, n)
	}
	if given == 0 {
		w.within = usual.within
	}
	if given == 0 && n == len(usual.Requests) {
		w.Requests = usual.Requests
		if len(u.given(ofUsers, ofFaults)) == 0 {
			w.Withdrawals = usual.Withdrawals
		}
	}
	w.Workload = w.For(n)
	return w, nil
}

// String says what users do, and which faults there are.
func (w workload) String() string {
	text := ""
	switch all := slices.Compact(slices.Clone(w.Requests)); {
	case w.users != "":
		text = "whose users each " + w.users
	case len(all) > 1:
		text = "which request " + w.rounds() + " times at most"
	case all[0] == explore.Unbounded:
		text = "each of which requests any number of times"
	case all[0] == 1:
		text = "each of which requests at most once"
	default:
		text = fmt.Sprintf("each of which requests at most %d times", all[0])
	}
	return text + "; " + w.Onto(explore.NodesConfig{}).Faults()
}

// rounds returns how often the nodes request, as the flag has it.
func (w workload) rounds() string { return requests(w.Requests).String() }
