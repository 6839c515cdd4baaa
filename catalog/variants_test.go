//go:build doorway_explore

package catalog_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func TestWrongNames(t *testing.T) {
	enterable(t, func(name string) bool { return strings.Contains(name, "/") })
	sets := [][]messaging.ID{{0, 1}, {0, 1}}
	for _, c := range []struct {
		algorithm string
		inform    [][]messaging.ID
		want      string
	}{
		{"maekawa/late-failed", nil, ""},
		{"sanders/printed", sets, ""},
		{"maekawa/late-failed", sets, "maekawa/late-failed informs those that it asks: it takes no other sets to inform"},
	} {
		if _, err := catalog.Scenario(sim.Setting{Algorithm: c.algorithm, Nodes: 2, Request: sets, Inform: c.inform}); c.want != "" {
			assert.EqualError(t, err, c.want)
		} else {
			assert.NoError(t, err, c.algorithm)
		}
	}
}

// The rules of a lecture are refuted; the corrected ones are not.
func ExampleProtocol_wrong() {
	for _, name := range []string{"maekawa/no-deadlock-handling", "maekawa"} {
		a, err := catalog.Protocol(name, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Name: name})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, "is free of deadlock:", r.DeadlockFree.Status)
		if h := r.DeadlockFree.History; h != nil {
			fmt.Print(h)
			fmt.Println("scenario:", h.Scenario)
		}
	}
	// Output:
	// maekawa/no-deadlock-handling is free of deadlock: fails
	// deadlock: a request is pending and no message is in transit
	// node 0 requests
	// node 0 gets Request{Of: (1, 0)} from itself
	// node 0 gets Locked{To: (1, 0)} from itself
	// node 1 requests
	// node 1 gets Request{Of: (1, 1)} from itself
	// node 1 gets Locked{To: (1, 1)} from itself
	// node 0 gets Request{Of: (1, 1)} from 1
	// node 1 gets Request{Of: (1, 0)} from 0
	// scenario: version 1; nodes 2; algorithm maekawa/no-deadlock-handling; rules bc19b586; run a0.a1.d2.d1
	// maekawa is free of deadlock: holds
}

// A scenario names its algorithm; here it has the rules that the slides print.
func ExampleScenario_wrong() {
	s, err := sim.ReadScenario("two.txt", strings.NewReader("nodes 2\nalgorithm sanders/printed\nat 0 S1 asks\nat 0 S2 asks\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Run(os.Stdout, catalog.Scenario); err != nil {
		fmt.Println(err)
	}
	// Output:
	// S1 asks at 0, still waits
	// S2 asks at 0, still waits
	//
	// 2 messages
	//      2 REQUEST
	//
	// fails at 1: deadlock: a request is pending and no message is in transit: S1, S2
}
