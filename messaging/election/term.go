package election

import "example.org/doorway/messaging"

// NextTerm returns the first term after a term in which leader of so many nodes may lead: a
// number that leaves the remainder leader when it is divided by nodes. So no two nodes ever lead
// in the same term, whatever they know, as with the proposal numbers of L. Lamport, "The
// part-time parliament", 1998. A node that leads in one term at most once must not forget the
// term in a crash.
func NextTerm(after messaging.Time, leader messaging.ID, nodes int) messaging.Time {
	n := messaging.Time(nodes)
	term := after - after%n + messaging.Time(leader)
	if term <= after {
		term += n
	}
	return term
}
