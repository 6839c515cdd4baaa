package recovery_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
)

const broken = "testdata/broken.txt"

// Without a rule, one detected crash shows that it is needed: the shortest histories are those of
// testdata.
func TestBroken(t *testing.T) {
	skipWithRace(t)
	var histories strings.Builder
	for _, c := range []struct {
		rule     string
		of       messaging.Protocol
		requests []int // by node
		what     string
	}{
		{recovery.WhileInside, suzukikasami.Protocol, []int{1, 1, 1}, "two nodes are inside"},
		{recovery.OlderMessages, suzukikasami.Protocol, []int{1, 1, 1}, "a node panicked: suzukikasami: "},
		{recovery.NoFreeze, suzukikasami.Protocol, []int{1, 1, 1}, "two nodes are inside"},
		{recovery.Majority, central.Protocol, []int{1, 1, 0, 0}, "two nodes are inside"},
		{recovery.LiveAgain, raymond.Protocol, []int{1, 1, 1}, "deadlock"},
	} {
		report, err := explore.CheckNodes(explore.NodesConfig{
			New: recovery.Broken(c.of, recovery.Config{}, c.rule), Nodes: len(c.requests), Requests: c.requests, Unordered: c.rule != recovery.Majority,
			Crashes: 1, Detected: true, Memory: 1 << 30,
		})
		found := ""
		switch {
		case err != nil:
			found, _, _ = strings.Cut(err.Error(), "\nscenario: ")
			found += "\n"
		case len(report.Failures()) > 0:
			found = report.Failures()[0].String()
		}
		assert.Contains(t, found, c.what, c.rule)
		fmt.Fprintf(&histories, "## %s: %s\n\n%s\n", c.of.Name, c.rule, found)
	}
	if *update {
		require.NoError(t, os.WriteFile(broken, []byte(histories.String()), 0o644))
	}
	want, err := os.ReadFile(broken)
	require.NoError(t, err)
	assert.Equal(t, string(want), histories.String(), "go test ./messaging/recovery -run TestBroken -update")
}

// Others are needed only if nodes start again.
func TestBrokenByRestarts(t *testing.T) {
	skipWithRace(t)
	for _, c := range []struct {
		rule, failure string
		of            messaging.Protocol
	}{
		{recovery.Disagreement, "exclusion", tokenring.Protocol},
		{recovery.NoneKept, "fencing", central.Protocol},
		{recovery.NotDurable, "fencing", naimitrehel.Protocol},
		{recovery.LiveAgain, "deadlock", central.Protocol},
	} {
		assert.True(t, fails(c.of, c.rule, c.failure), c.rule)
	}
}

// Others are needed with timeouts, though these are long enough.
func TestBrokenWithTimeouts(t *testing.T) {
	for rule, what := range map[string]string{
		recovery.StatusOnly:   "suspects node",
		recovery.Disagreement: "takes part in epoch",
	} {
		a, found := recovery.Broken(central.Protocol, timeouts, rule), false
		for seed := uint64(0); !found && seed < 10_000; seed++ {
			_, _, err := suspicions(a, seed)
			found = err != nil && strings.Contains(err.Error(), what)
		}
		assert.True(t, found, rule)
	}

	skipWithRace(t)
	report, err := explore.CheckNodes(explore.NodesConfig{
		New: recovery.Broken(central.Protocol, explored, recovery.SilentOnce), Nodes: 2, Suspicions: 1,
	})
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, report.MutualExclusion.Status, recovery.SilentOnce)
}

// fails reports whether one of many random schedules has a failure of a kind.
func fails(p messaging.Protocol, rule, failure string) bool {
	for seed := range uint64(tier.Pick(20_000, 200_000)) {
		s := schedule(p, 3+int(seed/7%3), seed)
		s.Invariant = nil
		err := nodetest.Run(recovery.Broken(p, recovery.Config{}, rule), s)
		if nodetest.Failure(err) == failure && (failure != "deadlock" || s.Restarts == 0 || s.Restarts == s.Crashes) {
			return true
		}
	}
	return false
}
