// Package impossible has what the tests of impossible messages have in common: of
// messages that no run of an algorithm can bring, and that its nodes refuse before
// they change anything. A node's own tests are in the file impossible.go beside its
// algorithm. All return why a message cannot come, or "" if it can.
package impossible

import "example.org/doorway/messaging"

// If returns why if bad.
func If(bad bool, why string) string {
	if bad {
		return why
	}
	return ""
}

// Of is for what node from says about its own request r.
func Of(from messaging.ID, r messaging.Stamp) string {
	switch {
	case r.ID != from:
		return "the request is another node's"
	case r.Time == 0:
		return "there is no such request"
	}
	return ""
}

// To is for what is said to node self about its request r; mine is its latest.
func To(self messaging.ID, r, mine messaging.Stamp) string {
	if r.ID == self && r.Time > mine.Time {
		return "there is no such request"
	}
	return Of(self, r)
}
