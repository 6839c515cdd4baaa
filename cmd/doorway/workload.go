package main

import (
	"errors"
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
	set := func(s string) (err error) {
		w.Requests, err = parseRounds(s)
		return err
	}
	c.add("rounds", "of a protocol: how often each node requests, a `number`, unbounded, or one by node, such as 2,1,0 "+
		"(default: unbounded or what takes a second or two)", value{set, func() any { return w.Requests }})
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

// parseRounds reads the value of -rounds: by node, or one for all.
func parseRounds(s string) (all own.Requests, err error) {
	words := strings.Split(s, ",")
	for _, word := range words {
		k, err := strconv.Atoi(word)
		switch {
		case word == own.Unbounded:
			k = explore.Unbounded
		case err != nil || k < 0 || k > 100 || k == 0 && len(words) == 1:
			return nil, errors.New("it is an integer from 1 to 100, unbounded, or from 0 on one for each node, such as 2,1,0")
		}
		all = append(all, k)
	}
	return all, nil
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
func usually(name string) (w own.Workload) {
	w.Requests, w.Within = []int{2, 2, 2}, own.UnboundedWithin
	if r, ok := proof.RefutationOf(name); ok {
		w.Requests, w.Withdrawals, w.Within = r.Requests, r.Withdrawals, 0
	} else if requests, ok := sizes[name]; ok {
		w.Requests = requests
	} else if strings.HasPrefix(name, catalog.Recovery) {
		w.Requests = []int{1, 1, 1}
	}
	return w
}

// sized returns the workload of each node of a protocol, with what the flags leave open: as many nodes and
// requests as take a second or two.
func (u *checkup) sized(name string) (w own.Workload, err error) {
	usual := usually(name)
	w, err = u.Workload.Sized(u.Processes, usual)
	if err != nil {
		return w, u.mistaken("%v", err)
	}
	if len(w.Requests) == len(usual.Requests) && len(u.given(ofUsers, ofFaults)) == 0 {
		w.Withdrawals = usual.Withdrawals
	}
	return w, nil
}
