// Package invariant has the invariants that several algorithms share.
package invariant

import (
	"fmt"
	"strings"

	"example.org/doorway/messaging"
)

// OneToken returns the invariant that there is at most one token: at a node of type N that
// has it, or in transit as a message of type Token.
func OneToken[N messaging.Node, Token messaging.Message](has func(n N) bool) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		tokens := make([]token, 0, 2)
		for i, n := range nodes {
			if n, ok := n.(N); ok && has(n) {
				tokens = append(tokens, token{messaging.ID(i), messaging.ID(i)})
			}
		}
		for _, e := range transit {
			if _, ok := e.Message.(Token); ok {
				tokens = append(tokens, token{e.From, e.To})
			}
		}
		if len(tokens) > 1 {
			return tooMany(tokens)
		}
		return nil
	}
}

// A token is in transit, or at a node, which is both.
type token struct{ from, to messaging.ID }

func (t token) String() string {
	if t.from == t.to {
		return fmt.Sprintf("at node %d", t.to)
	}
	return fmt.Sprintf("in transit from node %d to node %d", t.from, t.to)
}

func tooMany(tokens []token) error {
	all := make([]string, len(tokens))
	for k, t := range tokens {
		all[k] = t.String()
	}
	last := len(all) - 1
	return fmt.Errorf("there are %d tokens: %s and %s", len(all), strings.Join(all[:last], ", "), all[last])
}
