package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
)

// testdata/nodes.txt is what a terminal shows, but for how long it took.
func TestCheckProtocols(t *testing.T) {
	inOneBuild(t)
	text, err := os.ReadFile("testdata/nodes.txt")
	require.NoError(t, err)
	golden(t, "nodes.txt", took.ReplaceAllString(session(string(text), doorway), "${1}…"))
}

// Without further flags every protocol is checked in a second or two, and broken ones fail.
func TestCheckEveryProtocol(t *testing.T) {
	inOneBuild(t)
	for _, p := range catalog.Protocols {
		t.Run(p.Name, func(t *testing.T) {
			if p.Name != "central" && p.Name != "raymond" {
				tier.NeedsFull(t, "checks a protocol")
			}
			status, stdout, stderr := doorway("check", p.Name)
			assert.Equal(t, 0, status, "%s%s", stdout, stderr)
			assert.Contains(t, stdout, p.Name+" keeps its promise in every such run of ")
		})
	}
	for _, p := range catalog.Printed {
		t.Run(p.Name, func(t *testing.T) {
			if strings.HasPrefix(p.Name, "maekawa/l") {
				tier.NeedsFull(t, "has many states")
			}
			status, stdout, stderr := doorway("check", p.Name)
			assert.Equal(t, 1, status, "%s%s", stdout, stderr)
		})
	}
}

// The line that a counterexample ends with repeats it.
func TestCheckedProtocolIsRepeated(t *testing.T) {
	inOneBuild(t)
	for _, c := range []struct{ line, fails string }{
		{"maekawa/no-deadlock-handling", "fails at 0: deadlock"},
		{"lamport -n 2 -unordered", "fails at 0: two nodes are inside: S1, S2"},
		{"raymond/still-asked", "fails at 0: deadlock"},
		{"caosinghal/eager", "fails at 0: two nodes are inside: S2, S3"},
		{"snepscheut/unstamped", "fails at 0: deadlock"},
		{"central -crashes 1", "fails at 0: deadlock"},
		{"central -crashes 1 -restarts 1", "fails at 0: a node panicked"},
		{"changroberts -crashes 1", "fails at 0: the results are wrong (node 0 is S1): node 1 knows no leader, and node 2 leads"},
	} {
		_, stdout, _ := doorway(append([]string{"check"}, strings.Fields(c.line)...)...)
		scenario := regexp.MustCompile(`(?m)^  echo '(.*)' \| doorway run -$`).FindStringSubmatch(stdout)
		require.NotNil(t, scenario, stdout)
		_, again, stderr := doorway("run", sceneFile(t, "again.txt", scenario[1]))
		assert.Contains(t, again, c.fails, stderr)
	}
}

func TestCheckedProtocolInJSON(t *testing.T) {
	inOneBuild(t)
	for _, c := range []struct {
		line   string
		status int
	}{
		{"raymond -n 2 -rounds 1,2 -crashes 1 -detected", 1},
		{"central -n 2", 0},
		{"suzukikasami/stale", 1},
		{"bully", 0},
	} {
		status, stdout, stderr := doorway(append([]string{"check", "-json"}, strings.Fields(c.line)...)...)
		assert.Equal(t, c.status, status, "%s: %s", c.line, stderr)
		var got protocolJSON
		require.NoError(t, json.Unmarshal([]byte(stdout), &got))
		assert.Equal(t, status == 1, got.Violated, c.line)
		assert.Len(t, got.Requests, got.Nodes, c.line)
		assert.Equal(t, c.line == "suzukikasami/stale", got.History != nil, c.line)
		for _, p := range got.Properties {
			documented(t, p.Name)
			assert.Equal(t, p.Status == explore.Fails, p.History != nil, "%s: %s", c.line, p.Name)
		}
	}
}

// Draws a run, and says if there is none.
func TestCheckedProtocolIsDrawn(t *testing.T) {
	inOneBuild(t)
	file := filepath.Join(t.TempDir(), "run.svg")
	_, stdout, stderr := doorway("check", "maekawa/no-deadlock-handling", "-svg", file)
	assert.Contains(t, stdout, "run.svg shows it: deadlock: ")
	assert.Empty(t, stderr)
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	wellFormed(t, picture)
	for _, label := range []string{">REQUEST<", "still waits"} {
		assert.Contains(t, string(picture), label)
	}
}

// Each flag is a fault that some protocol survives only without it.
func TestCheckedProtocolWithFaults(t *testing.T) {
	inOneBuild(t)
	for _, c := range []struct{ protocol, flags, says string }{
		{"ricartagrawala-acknowledged -n 2", "-suspicions 1", "at most 1 crash is reported that has not happened"},
		{"ricartagrawala-acknowledged -n 2 -rounds 1,0", "-crashes 1 -restarts 1", "at most 1 node starts again"},
		{"central -n 2", "-losses 1", "at most 1 message is lost"},
	} {
		status, stdout, stderr := doorway(append([]string{"check"}, strings.Fields(c.protocol)...)...)
		assert.Equal(t, 0, status, "%s: %s%s", c.protocol, stdout, stderr)
		status, stdout, stderr = doorway(append([]string{"check"}, strings.Fields(c.protocol+" "+c.flags)...)...)
		assert.Equal(t, 1, status, "%s %s: %s%s", c.protocol, c.flags, stdout, stderr)
		assert.Contains(t, strings.Join(strings.Fields(stdout), " "), c.says)
	}
	_, stdout, _ := doorway("check", "tokenring", "-n", "2")
	_, anyTime, _ := doorway("check", "tokenring", "-n", "2", "-any-time")
	assert.Contains(t, anyTime, "timers expire at any time")
	_, early, _ := doorway("check", "tokenring", "-n", "2", "-early", "1")
	assert.Contains(t, strings.Join(strings.Fields(early), " "), "at most 1 timer expires early")
	for _, more := range []string{anyTime, early} {
		assert.NotEqual(t, regexp.MustCompile(`states +[0-9,]+`).FindString(stdout), regexp.MustCompile(`states +[0-9,]+`).FindString(more), "more can happen")
	}
	for line, wrong := range map[string]string{
		"central -restarts 1":                      "-restarts 1: it is at most -crashes, which is 0",
		"central -crashes 1 -restarts 1 -detected": "-detected and -restarts exclude each other",
		"central -detected":                        "-detected takes -crashes",
		"tokenring -any-time -early 1":             "-any-time and -early exclude each other",
		"peterson -any-time":                       "-any-time is for a protocol, and peterson is a lock",
		"bully -rounds 2":                          "-rounds is for a lock, and bully is none: its users hold an election, one each",
		"cristian":                                 "its states grow forever",
		"bully -detected":                          "-detected takes -crashes",
	} {
		status, _, stderr := doorway(append([]string{"check"}, strings.Fields(line)...)...)
		assert.Equal(t, 2, status, line)
		assert.Contains(t, unwrapped(stderr), wrong, line)
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		text string
		want requests
	}{
		{"3", requests{all: 3}},
		{"unbounded", requests{all: explore.Unbounded}},
		{"2,0,unbounded", requests{by: []int{2, 0, explore.Unbounded}}},
	} {
		var r requests
		require.NoError(t, r.Set(c.text), c.text)
		assert.Equal(t, c.want, r)
		assert.Equal(t, c.text, fmt.Sprint(&r))
	}
	for _, wrong := range []string{"", "0", "-1", "101", "2,", "2,x", "2, 1", "endless"} {
		assert.Error(t, (&requests{}).Set(wrong), wrong)
	}
}

// A protocol of one's own is checked in its module.
func TestOwnProtocol(t *testing.T) {
	inOneBuild(t)
	tier.NeedsFull(t, "builds another module, several times")
	inOwnModule(t, true)
	status, stdout, stderr := doorway("check", "./rounds.New")
	assert.Equal(t, 1, status, stderr)
	assert.Contains(t, stdout, "\ntwo nodes are inside: 0 and 1\n\nline  node  event\n   1  0     requests\n")
	assert.Regexp(t, `give sim\.ReadScenario:\n\n  version 1; nodes 3; algorithm rounds; rules [0-9a-f]+; run a0\.a1\.d1\.d2\n$`, stdout)
	picture := filepath.Join(t.TempDir(), "apart.svg")
	status, stdout, stderr = doorway("check", "./rounds.NewApart", "-crashes", "1", "-svg", picture)
	assert.Equal(t, 1, status, stderr)
	assert.Contains(t, stdout, "apart.svg shows it: deadlock: ")
	text, err := os.ReadFile(picture)
	require.NoError(t, err)
	wellFormed(t, text)
	for _, label := range []string{">rounds.NewApart, 3 nodes<", ">WANT<", ">crashes<", ">still waits<", "WANT from S2 to S1"} {
		assert.Contains(t, string(text), label)
	}
	status, stdout, stderr = doorway("check", "./rounds.NewApart", "-rounds", "2")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "rounds.NewApart keeps every protocol's promise in every such run of 3 nodes.\n")
}

// A run from another program is drawn as it wrote it. Nodes that may be inside together are no
// failure.
func TestOwnRunIsDrawn(t *testing.T) {
	var o ownRun
	require.NoError(t, json.Unmarshal([]byte(`{"Events": [
		{"Number": 1, "Action": "requested", "From": 0, "To": 0},
		{"Number": 2, "Cause": 1, "Action": "sent", "From": 0, "To": 1, "Kind": "NOTE", "Message": "NOTE(Text:hello)"},
		{"Number": 3, "Cause": 1, "Action": "entered", "From": 0, "To": 0},
		{"Number": 4, "Cause": 2, "At": 1000000, "Action": "delivered", "From": 0, "To": 1, "Kind": "NOTE", "Message": "NOTE(Text:hello)"},
		{"Number": 5, "At": 1000000, "Action": "requested", "From": 1, "To": 1},
		{"Number": 6, "Cause": 5, "At": 1000000, "Action": "entered", "From": 1, "To": 1}
	]}`), &o))
	drawn := func() string {
		var b strings.Builder
		require.NoError(t, o.drawing("mine.New", 2).WriteSVG(&b))
		wellFormed(t, []byte(b.String()))
		return b.String()
	}
	all := drawn()
	for _, text := range []string{"mine.New, 2 nodes", ">NOTE<", "NOTE(Text:hello) from S1 to S2, sent at 0, delivered at 1"} {
		assert.Contains(t, all, text)
	}
	o.Excludes = [][]bool{{false, false}, {false, false}}
	apart := drawn()
	assert.NotEqual(t, all, apart, "the frame of those that must not be inside together")
	assert.Greater(t, len(all), len(apart))
}
