package singhal

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why site from cannot have sent m; "" if it can.
func (s *site) impossible(from messaging.ID, m messaging.Message) string {
	self := s.start.Self
	if from == self {
		return "a site sends nothing to itself"
	}
	switch m := m.(type) {
	case request:
		return impossible.Request(from, m.Of)
	case token:
		if len(m.TSV) != s.start.Nodes || len(m.TSN) != s.start.Nodes {
			return "the token has another number of sites"
		}
		return cmp.Or(
			impossible.If(s.TSV != nil, "this site has the token"),
			impossible.If(s.SV[self] != requesting, "this site has not asked for the token"),
			impossible.If(m.TSV[self] != requesting || m.TSN[self] != s.SN[self], "the token does not have the request of this site"),
			impossible.If(m.TSV[from] != none, "its sender has left, and the token does not have that"),
		)
	}
	return "it is not a message of this algorithm"
}
