package recovery_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/naimitrehel"
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

// Others are needed only if nodes start again: the first random schedule that shows it has that seed.
func TestBrokenByRestarts(t *testing.T) {
	skipWithRace(t)
	for _, c := range []struct {
		rule, failure string
		of            messaging.Protocol
		seed          uint64
	}{
		{recovery.Disagreement, "exclusion", tokenring.Protocol, 13821},
		{recovery.NoneKept, "fencing", central.Protocol, 169},
		{recovery.NotDurable, "fencing", naimitrehel.Protocol, 1493},
		{recovery.LiveAgain, "deadlock", central.Protocol, 6},
	} {
		found := false
		for seed := c.seed; !found && seed < 20_000; seed++ {
			s := schedule(c.of, 3+int(seed/7%3), seed)
			s.Invariant = nil
			err := nodetest.Run(recovery.Broken(c.of, recovery.Config{}, c.rule), s)
			found = nodetest.Failure(err) == c.failure && (c.failure != "deadlock" || s.Restarts == 0 || s.Restarts == s.Crashes)
		}
		assert.True(t, found, c.rule)
	}
}

// Others are needed with timeouts, though these are long enough.
func TestBrokenWithTimeouts(t *testing.T) {
	for _, c := range []struct {
		rule, what string
		seed       uint64
	}{{recovery.StatusOnly, "suspects node", 2}, {recovery.Disagreement, "takes part in epoch", 5177}} {
		found := false
		for seed := c.seed; !found && seed < 10_000; seed++ {
			_, _, err := suspicions(recovery.Broken(central.Protocol, timeouts, c.rule), seed)
			found = err != nil && strings.Contains(err.Error(), c.what)
		}
		assert.True(t, found, c.rule)
	}

	skipWithRace(t)
	report, err := explore.CheckNodes(explore.NodesConfig{
		New: recovery.Broken(central.Protocol, explored, recovery.SilentOnce), Nodes: 2, Suspicions: 1,
	})
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, report.MutualExclusion.Status, recovery.SilentOnce)
}
