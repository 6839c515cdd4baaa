// Package viewchange is the design of a lock service that outlives its servers: three of
// them record who holds the lock, and one, the primary of a view, decides. The page
// docs/own-protocol.md tells how its rules were found.
//
// It is viewstamped replication (B. M. Oki, B. H. Liskov, PODC 1988; B. Liskov, J. Cowling,
// "Viewstamped replication revisited", technical report, MIT 2012) of one register.
package viewchange

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
)

const (
	clients  = 2
	servers  = 3 // server v modulo servers is the primary of view v
	majority = servers/2 + 1
	views    = 3
	nobody   = -1
)

// A Design has the rules that are kept, and what may happen.
type Design struct {
	Majority bool // a client is told that it holds the lock only when a majority has recorded it
	Latest   bool // a new primary begins with the latest record of a majority, not with its own
	Promise  bool // a server that has joined a view records nothing of those before

	Views      int  // up to 3
	Crashes    int  // how many servers crash at most
	Suspicions int  // how often a server suspects the primary although it is up
	Detector   bool // each crash of a primary is detected eventually
}

// A State is that of clients and servers, and of the messages that were sent. Each of
// these may arrive at any time from then on.
type State struct {
	Clients [clients]Phase
	Servers [servers]Server

	Sent   [views][]int           // by view, whom its primary has recorded as the holder, one after the other
	Joined [views][servers]Record // by view, the last record of each server when it joined
	Stored [views][servers]int    // by view, the last record of that view that each server has told its primary to have
	Wrong  int                    // suspicions of primaries that were up
}

// A Phase is that of a client, which asks once.
type Phase int

// The phases.
const (
	Idle Phase = iota
	Waiting
	Holding
	Done
)

func (p Phase) String() string { return []string{"idle", "waits", "holds", "done"}[p] }

// A Server is in a view, and has a record.
type Server struct {
	Down bool
	View int
	Has  Record
}

// A Record is one of a view, by its number from 1; 0: none.
type Record struct{ View, Number int }

func (r Record) after(q Record) bool {
	return r.View > q.View || r.View == q.View && r.Number > q.Number
}

// String returns the phases of the clients, and the view of each server.
func (s State) String() string {
	var text strings.Builder
	for _, phase := range s.Clients {
		fmt.Fprintf(&text, "%v ", phase)
	}
	text.WriteString("| views")
	for _, server := range s.Servers {
		if server.Down {
			text.WriteString(" -")
		} else {
			fmt.Fprintf(&text, " %d", server.View)
		}
	}
	return text.String()
}

func initial() (s State) {
	s.Sent[0] = []int{nobody}
	for i := range s.Servers {
		s.Servers[i].Has = Record{View: 0, Number: 1}
		s.Stored[0][i] = 1
	}
	return s
}

// record returns the state in which the primary of a view has recorded a holder.
func (s State) record(view, holder int) State {
	s.Sent[view] = slices.Concat(s.Sent[view], []int{holder})
	return s.store(view%servers, Record{view, len(s.Sent[view])})
}

// store returns the state in which server i has a record, and has told so.
func (s State) store(i int, r Record) State {
	s.Servers[i].Has = r
	s.Stored[r.View][i] = r.Number
	return s
}

// join returns the state in which server i has joined a view, and has told its primary.
func (s State) join(i, view int) State {
	s.Servers[i].View = view
	s.Joined[view][i] = s.Servers[i].Has
	return s
}

// Next is the design: what may happen in a state, and what will.
func (d Design) Next(s State, will, may func(event string, to State)) {
	for c, phase := range s.Clients {
		to := s
		switch phase {
		case Idle:
			to.Clients[c] = Waiting
			may(fmt.Sprintf("client %d asks", c), to)
		case Holding:
			to.Clients[c] = Done
			will(fmt.Sprintf("client %d releases the lock", c), to)
		}
	}
	for i := range s.Servers {
		if !s.Servers[i].Down {
			d.fail(s, i, will, may)
			d.decide(s, i, will)
			d.follow(s, i, will)
		}
	}
	d.tell(s, will, may)
}

// fail has server i crash, or miss the primary of its view.
func (d Design) fail(s State, i int, will, may func(event string, to State)) {
	crashed := 0
	for _, server := range s.Servers {
		if server.Down {
			crashed++
		}
	}
	if crashed < d.Crashes {
		to := s
		to.Servers[i].Down = true
		may(fmt.Sprintf("server %d crashes", i), to)
	}
	next := s.Servers[i].View + 1
	primary := s.Servers[i].View % servers
	switch down := s.Servers[primary].Down; {
	case next == d.Views || i == primary:
	case down && d.Detector:
		will(fmt.Sprintf("server %d detects the crash of server %d, and joins view %d", i, primary, next), s.join(i, next))
	case down:
		may(fmt.Sprintf("server %d misses server %d, and joins view %d", i, primary, next), s.join(i, next))
	case s.Wrong < d.Suspicions:
		to := s.join(i, next)
		to.Wrong++
		may(fmt.Sprintf("server %d suspects server %d, and joins view %d", i, primary, next), to)
	}
}

// decide has server i, if it is the primary of its view, begin it, or give the lock.
func (d Design) decide(s State, i int, will func(event string, to State)) {
	view := s.Servers[i].View
	switch {
	case view%servers != i:
	case len(s.Sent[view]) == 0:
		for j, theirs := range s.Joined[view] {
			from := s.Joined[view][i]
			if j == i || theirs.Number == 0 {
				continue // with j, a majority has joined
			}
			if d.Latest && theirs.after(from) {
				from = theirs
			}
			holder := s.Sent[from.View][from.Number-1]
			will(fmt.Sprintf("server %d begins view %d with server %d: %s", i, view, j, holds(holder)), s.record(view, holder))
		}
	default:
		holder := s.Sent[view][len(s.Sent[view])-1]
		if holder != nobody && s.Clients[holder] != Done {
			return
		}
		for c, phase := range s.Clients {
			if phase == Waiting {
				will(fmt.Sprintf("server %d records that %s", i, holds(c)), s.record(view, c))
			}
		}
	}
}

func holds(holder int) string {
	if holder == nobody {
		return "no client holds the lock"
	}
	return fmt.Sprintf("client %d holds the lock", holder)
}

// follow has server i join a view that others have joined, or store a record of a primary.
func (d Design) follow(s State, i int, will func(event string, to State)) {
	me := s.Servers[i]
	for view := range d.Views {
		if view > me.View && s.Joined[view] != [servers]Record{} {
			will(fmt.Sprintf("server %d joins view %d", i, view), s.join(i, view))
		}
		if view > me.View || d.Promise && view < me.View {
			continue
		}
		for k := range s.Sent[view] {
			if r := (Record{view, k + 1}); r.after(me.Has) {
				will(fmt.Sprintf("server %d stores record %d of view %d", i, r.Number, view), s.store(i, r))
			}
		}
	}
}

// tell has clients be told that they hold the lock.
func (d Design) tell(s State, will, may func(event string, to State)) {
	for view := range d.Views {
		for k, c := range s.Sent[view] {
			stored := 0
			for _, number := range s.Stored[view] {
				if number > k {
					stored++
				}
			}
			if c == nobody || s.Clients[c] != Waiting || d.Majority && stored < majority {
				continue
			}
			to, primary := s, view%servers
			to.Clients[c] = Holding
			if server := s.Servers[primary]; !server.Down && server.View == view {
				will(fmt.Sprintf("server %d tells client %d that it holds the lock", primary, c), to)
			} else {
				may(fmt.Sprintf("client %d gets what server %d told it before", c, primary), to)
			}
		}
	}
}

// Check visits every state of the design.
func (d Design) Check() (*explore.SystemReport, error) {
	return explore.CheckSystem(explore.System[State]{
		Initial: []State{initial()},
		Next:    d.Next,
		Invariant: func(s State) error {
			if s.Clients == [clients]Phase{Holding, Holding} {
				return errors.New("two clients hold the lock")
			}
			return nil
		},
		Terminal: func(s State) bool { return s.Clients == [clients]Phase{Done, Done} },
		Leads: map[string]func(s State) (due, done bool){
			"client 0 gets the lock": func(s State) (due, done bool) { return s.Clients[0] == Waiting, s.Clients[0] == Holding },
			"client 1 gets the lock": func(s State) (due, done bool) { return s.Clients[1] == Waiting, s.Clients[1] == Holding },
		},
	})
}
