// Package impossible provides checks for impossible messages: messages that no run
// of an algorithm can deliver, which a node rejects before it changes its state. The
// checks of an algorithm itself are in the file impossible.go beside it. Each check
// returns why a message is impossible, or "" if it is possible.
package impossible

import "example.org/doorway/messaging"

// If returns why if bad is true.
func If(bad bool, why string) string {
	if bad {
		return why
	}
	return ""
}

// Request checks a message of node from about its own request r.
func Request(from messaging.ID, r messaging.Stamp) string {
	switch {
	case r.ID != from:
		return "the request is another node's"
	case r.Time == 0:
		return "there is no such request"
	}
	return ""
}

// Own is Request in an algorithm whose nodes send to themselves, too; mine is the latest request of node self.
func Own(self messaging.ID, mine messaging.Stamp, from messaging.ID, r messaging.Stamp) string {
	if from == self && r.Time > mine.Time {
		return "there is no such request"
	}
	return Request(from, r)
}

// Other is Request in an algorithm whose nodes send to others only.
func Other(self, from messaging.ID, r messaging.Stamp) string {
	if from == self {
		return "a node sends nothing to itself"
	}
	return Request(from, r)
}

// To checks a message to node self about its request r; mine is its latest.
func To(self messaging.ID, r, mine messaging.Stamp) string {
	return Own(self, mine, self, r)
}

// Queue checks the queue Q of the token for node self of n: other nodes, each at most once.
func Queue(q []messaging.ID, self messaging.ID, n int) string {
	var queued messaging.Set
	for _, j := range q {
		if j < 0 || int(j) >= n || j == self || queued.Has(j) {
			return "Q is not a queue of other nodes, each once"
		}
		queued.Add(j)
	}
	return ""
}

// Members reports whether these are some of n nodes in ascending order, each once.
func Members(members []messaging.ID, n int) bool {
	least := messaging.ID(0)
	for _, j := range members {
		if j < least || int(j) >= n {
			return false
		}
		least = j + 1
	}
	return true
}
