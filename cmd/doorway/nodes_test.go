package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/own"
	"example.org/doorway/messaging"
)

// testdata/nodes.txt is what a terminal shows, but for how long it took.
func TestCheckProtocols(t *testing.T) {
	withWrong(t)
	golden(t, "nodes.txt", took.ReplaceAllString(session(t, page.Read(t, "testdata/nodes.txt")), "${1}…"))
}

// The line that a counterexample ends with repeats it.
func TestCheckedProtocolIsRepeated(t *testing.T) {
	withWrong(t)
	for line, fails := range map[string]string{
		"maekawa/no-deadlock-handling":   "fails at 0: deadlock",
		"lamport -n 2 -unordered":        "fails at 0: two nodes are inside: S1, S2",
		"raymond/still-asked":            "fails at 0: deadlock",
		"caosinghal/eager":               "fails at 0: two nodes are inside: S2, S3",
		"snepscheut/unstamped":           "fails at 0: deadlock",
		"central -crashes 1":             "fails at 0: deadlock",
		"central -crashes 1 -restarts 1": "fails at 0: S2 refused REPLY(1,S2) from S1",
		"changroberts -crashes 1":        "fails at 0: the results are wrong: S2 knows no leader, and S3 leads",
	} {
		scenario := regexp.MustCompile(`(?m)^  echo '(.*)' \| doorway run -$`).FindStringSubmatch(shows(t, "check "+line, 1))
		require.NotNil(t, scenario, line)
		_, again, stderr := doorway("run", sceneFile(t, "again.txt", scenario[1]))
		assert.Contains(t, again, fails, stderr)
	}
}

func TestCheckedProtocolInJSON(t *testing.T) {
	withWrong(t)
	for line, status := range map[string]int{
		"raymond -n 2 -rounds 1,2 -crashes 1 -detected": 1, "central -n 2": 0, "suzukikasami/stale": 1, "bully": 0,
	} {
		var got nodesFinding
		require.NoError(t, json.Unmarshal([]byte(shows(t, "check -json "+line, status)), &got))
		assert.Equal(t, status == 1, got.Violated, line)
		assert.Len(t, got.Requests, got.Nodes, line)
		for _, p := range got.Properties {
			documented(t, p.Name)
			assert.Equal(t, p.Status == explore.Fails, p.History != nil, "%s: %s", line, p.Name)
		}
	}
}

// A pointing node requests by a pointer to what it sends.
type pointing struct{ Asked bool }

func (*pointing) Request(out messaging.Out)                              { out.Send(1, new(int)) }
func (*pointing) Release(messaging.Out)                                  {}
func (*pointing) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// A run that breaks the contract of a node ends the check.
func TestCheckedProtocolBreaksItsContract(t *testing.T) {
	_, broke, err := own.CheckNodes(explore.NodesConfig{New: func(messaging.Start) messaging.Node { return new(pointing) }, Nodes: 2})
	require.NoError(t, err)
	f := &nodesFinding{of: subject{Entry: catalog.Entry{Name: "pointing"}}, Nodes: 2, Workload: own.Workload{Requests: own.Requests{1, 1}}}
	r := f.with(nil, broke).result(80)
	assert.True(t, r.violated)
	assert.Contains(t, r.text, "pointing breaks the contract of a node: it cannot be checked further.")
	assert.Contains(t, r.runs[0].text, ": a pointer would share it with its sender")
	assert.Contains(t, r.runs[0].text, "   1  S1 asks")
}

// So does a node that cannot be made, or whose first state is no plain data.
func TestCheckedProtocolNeverBegins(t *testing.T) {
	for says, a := range map[string]messaging.Algorithm{
		"the algorithm returned nil for node 0 of 2: it must return a new node each time": func(messaging.Start) messaging.Node { return nil },
		"the algorithm panicked when it was to make node 0: sorry":                        func(messaging.Start) messaging.Node { panic("sorry") },
	} {
		_, broke, err := own.CheckNodes(explore.NodesConfig{New: a, Nodes: 2})
		require.NoError(t, err)
		assert.Equal(t, &explore.History{Title: says, Loop: -1}, broke)
	}
}

// drawn asserts that a file is a picture with those labels.
func drawn(t *testing.T, file string, labels ...string) {
	t.Helper()
	picture := page.Read(t, file)
	wellFormed(t, picture)
	for _, label := range labels {
		assert.Contains(t, picture, label)
	}
}

// Each flag is a fault that some protocol survives only without it.
func TestCheckedProtocolWithFaults(t *testing.T) {
	inOneBuild(t)
	for _, c := range []struct{ protocol, flags, says string }{
		{"ricartagrawala-acknowledged -n 2 -rounds 1", "-suspicions 1", "at most 1 crash is reported that has not happened"},
		{"ricartagrawala-acknowledged -n 2 -rounds 1,0", "-crashes 1 -restarts 1", "at most 1 node starts again"},
		{"central -n 2", "-losses 1", "at most 1 message is lost"},
	} {
		shows(t, "check "+c.protocol, 0, "\nMore can happen with -crashes, -losses")
		shows(t, "check "+c.protocol+" "+c.flags, 1, c.says)
	}
	states := func(flags, says string) string {
		return regexp.MustCompile(`states +[0-9,]+`).FindString(shows(t, "check tokenring -n 2"+flags, 0, says))
	}
	few := states("", "")
	assert.NotEqual(t, few, states(" -any-time", "timers expire at any time"))
	assert.NotEqual(t, few, states(" -early 1", "at most 1 timer expires early"))
	for line, wrong := range map[string]string{
		"central -restarts 1":          "-restarts 1: it is at most -crashes, which is 0",
		"central -detected":            "-detected takes -crashes",
		"tokenring -any-time -early 1": "-any-time and -early exclude each other",
		"peterson -any-time":           "-any-time is for a protocol, and peterson is a lock",
		"bully -rounds 2":              "-rounds is for a lock, and bully is none: its users hold an election, one each",
		"cristian":                     "its states grow forever",
		"bully -detected":              "-detected takes -crashes",
	} {
		shows(t, "check "+line, 2, wrong)
	}
	shows(t, "check ricartagrawala1983 -n 2 -rounds unbounded", 1, "doorway: -rounds is unbounded, and states grow with the requests")
	shows(t, "check central -n 2 -rounds unbounded", 1, "doorway: -rounds is unbounded, and S1 is not as it must be then")
}

func TestRequests(t *testing.T) {
	for text, want := range map[string]own.Requests{"3": {3}, "unbounded": {explore.Unbounded}, "2,0,unbounded": {2, 0, explore.Unbounded}} {
		r, err := parseRounds(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, r)
		assert.Equal(t, text, fmt.Sprint(r))
	}
	for _, wrong := range []string{"", "0", "-1", "101", "2,", "2,x", "2, 1", "endless"} {
		_, err := parseRounds(wrong)
		assert.Error(t, err, wrong)
	}
}
