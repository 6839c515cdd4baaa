package sanders

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// A Structure is an information structure: Request[i] is R_i, the nodes that node i
// asks, and Inform[i] is I_i, the nodes that it informs.
type Structure struct {
	Request, Inform [][]messaging.ID
}

// RicartAgrawala returns the structure in which a node asks all nodes and informs
// only itself: R_i = all, I_i = {i}. An entry takes 2(n-1) messages and at most one
// FAILED from each other node, which the algorithm of Ricart and Agrawala saves.
// (Reiser 2002, slide 5.28, counts up to n of them, one of which is local.)
func RicartAgrawala(n int) Structure {
	var s Structure
	for i := range messaging.ID(n) {
		all := make([]messaging.ID, n)
		for j := range all {
			all[j] = messaging.ID(j)
		}
		s.add(all, []messaging.ID{i})
	}
	return s
}

// Maekawa returns the structure in which a node asks and informs its quorum:
// R_i = I_i = quorums[i].
func Maekawa(quorums [][]messaging.ID) Structure {
	return Structure{Request: quorums, Inform: quorums}.clone()
}

// Central returns the structure in which a node asks and informs a coordinator and
// itself: R_i = I_i = {i, coordinator}.
func Central(n int, coordinator messaging.ID) Structure {
	var s Structure
	for i := range messaging.ID(n) {
		both := slices.Compact([]messaging.ID{i, coordinator})
		s.add(both, slices.Clone(both))
	}
	return s
}

// FourNodes returns a structure that is none of the known algorithms (Reiser
// 2002, slide 5.29): nodes 0 and 1 ask each other and inform only themselves; nodes 2
// and 3 ask and inform both of them.
func FourNodes() Structure {
	return Structure{
		Request: [][]messaging.ID{{0, 1}, {0, 1}, {0, 1, 2}, {0, 1, 3}},
		Inform:  [][]messaging.ID{{0}, {1}, {0, 1, 2}, {0, 1, 3}},
	}
}

func (s *Structure) add(request, inform []messaging.ID) {
	s.Request = append(s.Request, request)
	s.Inform = append(s.Inform, inform)
}

func (s Structure) clone() Structure {
	var c Structure
	for i := range s.Request {
		c.add(slices.Clone(s.Request[i]), slices.Clone(s.Inform[i]))
	}
	return c
}

// Nodes returns the number of nodes.
func (s Structure) Nodes() int { return len(s.Request) }

// Status returns the status set of node i in ascending order: the nodes that inform
// i of their exits. It panics unless 0 <= i < s.Nodes().
func (s Structure) Status(i messaging.ID) []messaging.ID {
	s.mustHave(i)
	var status []messaging.ID
	for j, inform := range s.Inform {
		if slices.Contains(inform, i) {
			status = append(status, messaging.ID(j))
		}
	}
	return status
}

// Messages returns the bounds that the slides give for the messages of an entry
// of node i (Reiser 2002, slide 5.27). The fewest is the uncontended cost. Beyond
// that, a node in R_i adds one message (FAILED) if i is the only other node that
// informs it, otherwise four (INQUIRE, RELINQUISH, LOCKED and FAILED). Messages of a
// node to itself do not count, but the slides' formula for the most includes them.
//
// The most assumes that a node loses each lock at most once while it waits. An entry
// that loses a lock twice takes more, which is rare: in random schedules of the
// structures of this package the average never exceeded the most.
//
// Messages panics unless 0 <= i < s.Nodes().
func (s Structure) Messages(i messaging.ID) (fewest, most int) {
	s.mustHave(i)
	for _, j := range s.Inform[i] {
		if j != i {
			fewest++
		}
	}
	for _, j := range s.Request[i] {
		if j != i {
			fewest += 2
		}
		if s.toldOfOthers(j, i) {
			most += 4
		} else {
			most++
		}
	}
	return fewest, fewest + most
}

// toldOfOthers reports whether St_j has a member other than i and j.
func (s Structure) toldOfOthers(j, i messaging.ID) bool {
	for k, inform := range s.Inform {
		if messaging.ID(k) != i && messaging.ID(k) != j && slices.Contains(inform, j) {
			return true
		}
	}
	return false
}

// Check returns nil if the structure guarantees mutual exclusion, and otherwise an
// error that names the nodes that break one of the rules:
//
//   - there is at least one node, and each has both sets;
//   - the members of a set are distinct nodes;
//   - i is in I_i, and I_i is a subset of R_i;
//   - for all i ≠ j, I_i and I_j intersect, or j is in R_i and i in R_j.
func (s Structure) Check() error {
	if len(s.Request) == 0 || len(s.Request) != len(s.Inform) {
		return fmt.Errorf("sanders: %d request sets and %d inform sets: each node needs one of each",
			len(s.Request), len(s.Inform))
	}
	for i := range messaging.ID(len(s.Request)) {
		if err := s.checkSets(i); err != nil {
			return err
		}
	}
	return s.checkPairs()
}

func (s Structure) checkSets(i messaging.ID) error {
	if err := s.checkMembers("request", i, s.Request[i]); err != nil {
		return err
	}
	if err := s.checkMembers("inform", i, s.Inform[i]); err != nil {
		return err
	}
	if !slices.Contains(s.Inform[i], i) {
		return fmt.Errorf("sanders: node %d is not in its own inform set %v", i, s.Inform[i])
	}
	for _, j := range s.Inform[i] {
		if !slices.Contains(s.Request[i], j) {
			return fmt.Errorf("sanders: node %d informs node %d, which it does not ask: its request set is %v", i, j, s.Request[i])
		}
	}
	return nil
}

func (s Structure) checkMembers(name string, i messaging.ID, set []messaging.ID) error {
	var seen messaging.Set
	for _, j := range set {
		if j < 0 || int(j) >= s.Nodes() {
			return fmt.Errorf("sanders: the %s set of node %d has the member %d: the nodes are 0 to %d", name, i, j, s.Nodes()-1)
		}
		if seen.Has(j) {
			return fmt.Errorf("sanders: the %s set of node %d has the member %d twice", name, i, j)
		}
		seen.Add(j)
	}
	return nil
}

func (s Structure) checkPairs() error {
	request, status := sets(s.Request), s.statuses()
	met := make([]messaging.ID, s.Nodes()) // by node, 1 + the last one that its inform set was found to meet
	for i := range messaging.ID(s.Nodes()) {
		for _, m := range s.Inform[i] {
			for _, j := range status[m] {
				met[j] = i + 1
			}
		}
		for j := range i {
			askEachOther := request[i].Has(j) && request[j].Has(i)
			if !askEachOther && met[j] != i+1 {
				return fmt.Errorf("sanders: nodes %d and %d could both be inside: their inform sets %v and %v "+
					"have no member in common, and they do not ask each other: their request sets are %v and %v",
					j, i, s.Inform[j], s.Inform[i], s.Request[j], s.Request[i])
			}
		}
	}
	return nil
}

// statuses returns the status set of each node in ascending order.
func (s Structure) statuses() [][]messaging.ID {
	all := make([][]messaging.ID, s.Nodes())
	for j := range messaging.ID(s.Nodes()) {
		for _, i := range s.Inform[j] {
			all[i] = append(all[i], j)
		}
	}
	return all
}

func sets(members [][]messaging.ID) []messaging.Set {
	all := make([]messaging.Set, len(members))
	for i := range members {
		all[i] = messaging.SetOf(members[i]...)
	}
	return all
}

func (s Structure) mustHave(i messaging.ID) {
	if i < 0 || int(i) >= s.Nodes() {
		panic(fmt.Sprintf("sanders: node %d of a structure of %d", i, s.Nodes()))
	}
}
