// Package singhal implements Singhal's heuristic algorithm: each site guesses from what
// it has seen which sites may have the token, and asks only those.
//
// # Source
//
// M. Singhal, "A heuristically-aided algorithm for mutual exclusion in distributed
// systems", IEEE Transactions on Computers 38(5), 1989, 651-662; as in H. P. Reiser,
// "Verteilte Algorithmen", Erlangen 2002, slides 5.49 to 5.64.
//
// # Messages
//
//	Request{Of}       site Of.ID asks for the token; Of.Time numbers its requests
//	Token{TSV, TSN}   the privilege to enter
//
// Links need not be FIFO, but must not duplicate messages. Requests are numbered per site,
// so a site recognizes one that the token has served.
//
// # State
//
// Every site has, by site,
//
//	SV    R, requesting; E, executing; H, holding the idle token; N, none of these
//	SN    the number of its latest known request; 0: none
//
// and the one that has the token
//
//	TSV   R or N, as the token knows
//	TSN   the number of its latest request that the token knows
//
// A site asks the sites that it has as R: these will have the token, or know where it
// went. At first that is a staircase. The holder asks none, the next site the holder, and
// so on: in cyclic order from Start.Holder, each site has those before it as R. (On the
// slides the holder is S1.) On exit a site and the token adopt from each other, by site,
// whatever is newer. Then the token goes to the next site, in cyclic order, that is R.
//
// # The hint
//
// The printed rules ignore a request that is not new; see the variant singhal/printed of
// [example.org/doorway/catalog]. They rely on this: of any two sites, one has the other as
// R. A site that enters and leaves has its requests in transit, and then has as N the
// sites that will have it as R once these arrive. But if the token overtakes the request,
// its receiver has the token already and finds the request served. Then neither has the
// other as R, and the site, when it asks again, may ask only sites that will never
// have the token: it waits until a third site happens to ask.
//
// Here the receiver of a served request that has the token sends a Request of its own
// back, as a hint where the token is; one that does not have the token treats a request
// that is not new as any other, except for its number. Such a hint is one message more, and
// without a request that the token overtakes there is none.
//
// # Properties
//
// Mutual exclusion: only the site that has the token is inside. Starvation-free: each
// request reaches the token, or a site that waits for it and sends its own request back;
// and the token serves the sites that are R in cyclic order.
//
// The holder of the idle token enters without a message. Any other request takes a message
// to each site that is R, and the Token: from the initial staircase i messages for the
// i-th site, on average (N+1)/2 - 1/N; N if all enter in turn. All N at once take N(N-1).
// The synchronization delay is T. A crash of the site that has the token, or is sent it,
// blocks all others; so may that of a site that waits. A request cannot be withdrawn, as
// the token is sent to the site anyway: an aborted one is absorbed.
package singhal

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

// request asks for the token, or says to a site that may want it where it is. Of.Time is
// never 0.
type request struct{ Of messaging.Stamp }

// token is the privilege to enter, with what it knows of the sites.
type token struct {
	TSV []state
	TSN []messaging.Time
}

// A State is what a site or the token takes a site to be: N, R, E or H.
type state uint8

const (
	none state = iota
	requesting
	executing
	holding // the token, and idle
)

// String returns the letter of the paper.
func (s state) String() string {
	if s > holding {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return "NREH"[s : s+1]
}

// Protocol is the algorithm, for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:      "singhal",
	New:       func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:     []messaging.Message{request{}, token{}},
	Invariant: invariant.OneToken[*site, token](func(s *site) bool { return s.TSV != nil }),
}

// New returns site start.Self. It is a [messaging.Algorithm], and start.Holder has the
// token first.
func New(start messaging.Start) messaging.Node {
	s := &site{start: start, SV: make([]state, start.Nodes), SN: make([]messaging.Time, start.Nodes)}
	if start.Self == start.Holder {
		s.SV[start.Self] = holding
		s.TSV, s.TSN = make([]state, start.Nodes), make([]messaging.Time, start.Nodes)
	}
	for j := start.Holder; j != start.Self; j = s.after(j) {
		s.SV[j] = requesting
	}
	return s
}

type site struct {
	start messaging.Start

	SV []state
	SN []messaging.Time

	TSV []state // nil without the token, and so is TSN
	TSN []messaging.Time
}

// after is the next site in cyclic order.
func (s *site) after(j messaging.ID) messaging.ID { return (j + 1) % messaging.ID(s.start.Nodes) }

// latest is the latest request of this site.
func (s *site) latest() request {
	return request{messaging.Stamp{Time: s.SN[s.start.Self], ID: s.start.Self}}
}

func (s *site) Request(out messaging.Out) {
	i := s.start.Self
	s.SN[i]++
	if s.SV[i] == holding {
		s.SV[i] = executing
		out.Enter()
		return
	}
	s.SV[i] = requesting
	var request messaging.Message = s.latest()
	for j := range s.start.Others() {
		if s.SV[j] == requesting {
			out.Send(j, request)
		}
	}
}

func (s *site) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := s.impossible(from, m); why != "" {
		messaging.Refuse("singhal", s.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case request:
		s.requested(m.Of, out)
	case token:
		// The message is the sender's too, and the token changes here.
		s.TSV, s.TSN = slices.Clone(m.TSV), slices.Clone(m.TSN)
		s.SV[s.start.Self] = executing
		out.Enter()
	}
}

func (s *site) requested(r messaging.Stamp, out messaging.Out) {
	i, j := s.start.Self, r.ID
	if s.TSN != nil && r.Time <= s.TSN[j] {
		out.Send(j, s.latest()) // the token was faster: a hint where it is
		return
	}
	s.SN[j] = max(s.SN[j], r.Time)
	switch {
	case s.SV[i] == requesting && s.SV[j] != requesting:
		out.Send(j, s.latest())
	case s.SV[i] == holding:
		s.SV[i], s.TSV[j], s.TSN[j] = none, requesting, r.Time
		s.pass(j, out)
	}
	s.SV[j] = requesting
}

// Release merges what the site and the token know, and passes the token to the next site
// that is R, if any.
func (s *site) Release(out messaging.Out) {
	i := s.start.Self
	s.SV[i] = none
	s.TSV[i], s.TSN[i] = none, s.SN[i]
	for j := range s.SV {
		if s.SN[j] > s.TSN[j] {
			s.TSV[j], s.TSN[j] = s.SV[j], s.SN[j]
		} else {
			s.SV[j], s.SN[j] = s.TSV[j], s.TSN[j]
		}
	}
	for j := s.after(i); j != i; j = s.after(j) {
		if s.SV[j] == requesting {
			s.pass(j, out)
			return
		}
	}
	s.SV[i] = holding
}

func (s *site) pass(j messaging.ID, out messaging.Out) {
	out.Send(j, token{s.TSV, s.TSN})
	s.TSV, s.TSN = nil, nil
}
