package sim_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

var update = flag.Bool("update", false, "have the files expect what their runs show")

// Where the scenarios of the repository are.
const files = "../../examples/scenarios/*.txt"

func paths(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		tb.Fatalf("%s: no files, %v", files, err)
	}
	return paths
}

func read(t *testing.T, path string) *sim.Scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := sim.ReadScenario(filepath.Base(path), bytes.NewReader(text))
	require.NoError(t, err)
	return s
}

// Every file shows what it expects. To have it expect what it shows:
//
//	go test ./messaging/sim -update
func TestFiles(t *testing.T) {
	for _, path := range paths(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := read(t, path)
			var output strings.Builder
			_, err := s.Run(&output, lookupFor(s))
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(s.Directives+"----\n"+output.String()), 0o644))
				return
			}
			assert.Equal(t, s.Expected, output.String())
		})
	}
}

// What the lectures say of their examples, and so the files must show whatever
// they expect.
func TestLectureFiles(t *testing.T) {
	for _, test := range []struct {
		file  string
		shows []string // in this order
	}{
		{"central", []string{"S2 asks at 0, enters at 2", "S3 asks at 1, enters at 9", "6 messages"}},
		{"central-order", []string{"S3 asks at 1", "S2 asks at 0"}},
		{"lamport", []string{"REQUEST(7,S1)", "REQUEST(3,S2)", "S2 asks at 5", "S1 asks at 5", "12 messages", "4 REQUEST", "4 REPLY", "4 RELEASE"}},
		{"lamport-suppressed", []string{"S2 asks at 5", "S1 asks at 5", "11 messages", "4 REQUEST", "3 REPLY", "4 RELEASE"}},
		{"lamport-unordered", []string{"two nodes are inside: S1, S2"}},
		{"ricartagrawala", []string{"REQUEST(12,S3)", "REQUEST(8,S1)", "S1 asks at 50, enters at 52", "S3 asks at 50, enters at 54", "8 messages"}},
		{"ricartagrawala-crossing", []string{"REQUEST(2,S1)", "REQUEST(1,S2)", "S2 asks at 5, enters at 7", "S1 asks at 5, enters at 9", "8 messages"}},
		{"ricartagrawala-crash", []string{"fails at 3", "S1"}},
		{"ricartagrawala-acknowledged", []string{"S3 crashes", "S1 emits REMOVED(S3)", "S1 asks at 3, enters", "S2 asks at 4, enters"}},
		{"ricartagrawala-withdrawal", []string{"S2 gives up", "S3 enters", "S2 asks at 1, gives up at 6"}},
		{"roucairolcarvalho", []string{"5       S1 enters", "10      S1 enters", "18 messages"}},
		{"roucairolcarvalho-triangle", []string{"0       S1 enters", "2 messages"}},
		{"roucairolcarvalho-absorbed", []string{"S2 gives up", "S2 enters for the request it gave up", "S3 enters"}},
		{"roucairolcarvalho-naive", []string{"two nodes are inside: S1, S2"}},
		{"majority", []string{"S1 asks at 0, enters at 2", "S4 asks at 0, enters at 8"}},
		{"maekawa", []string{
			"S7 asks at 0, enters at 6", "S8 asks at 0, enters at 18", "S11 asks at 0, enters at 30", "32 messages",
			" 9 REQUEST", "10 LOCKED", " 1 INQUIRE", " 2 FAILED", " 1 RELINQUISH", " 9 RELEASE",
		}},
		{"maekawa-delay", []string{"enters at 8, leaves at 18", "S8 asks at 4, enters at 20"}},
		{"caosinghal", []string{"enters at 8, leaves at 18", "S8 asks at 4, enters at 19"}},
		{"caosinghal-eager", []string{"two nodes are inside: S3, S2"}},
		{"maekawa-circle", []string{"3 messages", "no message is in transit: S1, S2, S3"}},
		{"maekawa-circle-resolved", []string{"S2 asks at 0, enters", "S1 asks at 0, enters", "S3 asks at 0, enters"}},
		{"maekawa-late-failed", []string{"no message is in transit: S1, S2"}},
		{"maekawa-lock-only", []string{"no message is in transit: S1, S2"}},
		{"sanders-lone-1", []string{"2 messages"}},
		{"sanders-lone-3", []string{"6 messages"}},
		{"sanders-printed", []string{"no message is in transit: S1, S2"}},
		{"suzukikasami", []string{
			"138     S1 leaves", "TOKEN(LN:[10 15 8],Q:[]) to S3", "S3 leaves", "TOKEN(LN:[10 15 9],Q:[]) to S2",
			"S1 at 138: Phase idle, RN [10 15 9]", "S2 at 138: Phase waiting, RN [10 16 9]", "S3 at 138: Phase waiting, RN [10 15 9]",
			"S1 at 147: Phase idle, RN [10 16 9]", "S2 at 147: Phase waiting, RN [10 16 9]", "S3 at 147: Phase idle, RN [10 16 9]",
			"S1 at end: Phase idle, RN [10 16 9]", "S2 at end: Phase idle, RN [10 16 9], HasToken true, LN [10 16 9], Q []", "S3 at end: Phase idle, RN [10 16 9]",
		}},
		{"suzukikasami-stale", []string{"S3 gets REQUEST(Number:1) from S2", "this node has not asked for the token"}},
		{"singhal", []string{
			"5 messages", "S1 at 0: Phase idle, SV [H N N]", "S2 at 0: Phase waiting, SV [R R N]", "S3 at 0: Phase idle, SV [R R N]",
			"S1 at 5: Phase idle, SV [N R N], SN [0 1 0]", "S2 at 5: Phase idle, SV [N H N], SN [0 1 0], TSV [N N N], TSN [0 1 0]",
			"S1 at end: Phase idle, SV [N R R]", "S2 at end: Phase idle, SV [N N R]", "S3 at end: Phase idle, SV [N N H], SN [0 1 1], TSV [N N N], TSN [0 1 1]",
		}},
		{"singhal-lone", []string{
			"6 messages", "S6 at 2: Phase inside, SV [R R R R R E N N N N N N N]", "TSV [N N N N N R N N N N N N N]",
			"S6 at end: Phase idle, SV [N N N N N H N N N N N N N]", "TSV [N N N N N N N N N N N N N]",
		}},
		{"singhal-printed", []string{"no message is in transit: S3"}},
		{"singhal-thirteen", []string{"26 messages", "22 REQUEST", "4 TOKEN"}},
		{"berkeley", []string{"S1 emits ADJUSTED(By:5m0s)", "S2 emits ADJUSTED(By:-20m0s)", "S3 emits ADJUSTED(By:15m0s)", "6 messages", "2 POLL", "2 ANSWER", "2 ADJUST"}},
		{"cristian", []string{"READING(Time:3h0m0.008s", "READING(Time:3h0m0.0065s,Within:4.6ms)", "ADJUSTED(By:2ms)", "READING(Time:3h0m0.0185s,Within:2.6ms)", "4 REQUEST", "4 REPLY"}},
		{"bully", []string{"S5 sends ELECTION", "S7 emits ELECTED(S7", "15 messages", "6 ELECTION", "3 ANSWER", "6 COORDINATOR"}},
		{"heartbeat", []string{"S3 crashes", "S1 sends ELECTION", "S2 emits ELECTED(S2,Term:4)", "S2 sends BEAT(Term:4)", "S1 emits ELECTED(S2,Term:4)"}},
		{"heartbeat-late", []string{
			"S1 emits ELECTED(S1,Term:2)", "S2 gets BEAT(Term:2) from S1", "S2 emits ELECTED(S2,Term:3)", "S1 gets COORDINATOR(Term:3", "S1 emits ELECTED(S2,Term:3)",
		}},
		{"ring", []string{"ELECTION(Term:0,Members:[S5 S4]) to S1", "S3 sends ELECTION(Term:0,Members:[S3 S2 S1 S5 S4]) to S4", "S4 emits ELECTED(S5", "10 messages", "5 ELECTION", "5 COORDINATOR"}},
		{"multicast-basic", []string{
			"S1 emits DELIVERED(S1,Number:1,Body:+100) at 0", "S2 emits DELIVERED(S2,Number:1,Body:+1%) at 0",
			"S2 emits DELIVERED(S1,Number:1,Body:+100) at 1", "S1 emits DELIVERED(S2,Number:1,Body:+1%) at 1", "2 messages",
		}},
		{"multicast-total", []string{
			"S2 emits DELIVERED(S1,Number:1,Body:+100) at 1", "S1 emits DELIVERED(S1,Number:1,Body:+100) at 1",
			"S1 emits DELIVERED(S2,Number:1,Body:+1%) at 1", "S2 emits DELIVERED(S2,Number:1,Body:+1%) at 2", "4 messages", "2 UPDATE", "2 ACK",
		}},
		{"firewire", []string{"S1 gets HOLD", "S1 emits ROOT", "10 messages", "5 BEMYPARENT", "5 YOUAREMYCHILD"}},
		{"firewire-contention", []string{"S1 sends BEMYPARENT to S3", "S3 gets BEMYPARENT from S1", "S1 gets AGAIN", "S3 emits ROOT", "12 messages", "7 BEMYPARENT", "5 YOUAREMYCHILD"}},
		{"snapshot", []string{
			"S2 emits PART", "HasToken: false", "Channels:[{S1,Messages:[TOKEN", "S1 emits PART", "HasToken: false", "S3 emits PART", "HasToken: false",
			"9 messages", "6 MARKER",
		}},
		{"snapshot-unordered", []string{"S1 emits PART", "HasToken: true", "Channels:[{S1,Messages:[TOKEN", "there are 2 tokens"}},
		{"extinction", []string{"S3 emits ELECTED(S3", "3 ECHO", "3 LEADER"}},
		{"extinction-plain", []string{"S1 emits LARGEST(S2) at 1", "S1 emits LARGEST(S5) at 4", "14 messages"}},
		{"recovery-central", []string{
			"S1 crashes", "S4 emits ELECTED(S4", "Inside:true,Waiting:false", "7       S2 leaves", "Inside:false,Waiting:false", "BEGIN(Epoch:3,Members:[S2 S3 S4],Waiting:{S3 S4})",
			"S3 asks at 1, enters at 9", "S4 asks at 2, enters at 11",
		}},
		{"recovery-suzukikasami", []string{"S1 crashes", "S3 emits ELECTED(S3", "Waiting:true", "BEGIN(Epoch:2,Members:[S2 S3],Waiting:{S2 S3})", "S2 asks at 1, enters at 7", "S3 asks at 2, enters at 9"}},
		{"recovery-raymond", []string{"S2 crashes", "S3 sends TOKEN to S1", "S1 gets FREEZE", "S1 gets TOKEN from S3", "S1 gets BEGIN", "S1 enters", "WITHIN(Epoch:3,Message:TOKEN) to S4"}},
		{"recovery-naimitrehel", []string{"S2 crashes", "REQUEST(S3) from S1 to S2 is lost", "TOKEN from S1 to S2 is lost", "S3 gets BEGIN", "S3 enters"}},
		{"recovery-singhal", []string{"S2 crashes", "to S2 is lost", "S3 enters"}},
		{"recovery-tokenring", []string{"S3 crashes", "TOKEN(Hops:2) from S2 to S3 is lost", "BEGIN(Epoch:3,Members:[S1 S2 S4],Waiting:{S1 S4})", "S1 enters", "to S4", "S4 enters"}},
		{"recovery-majority", []string{"S1 crashes", "S2 crashes", "Members:[S3 S4]", "S3 enters", "S4 enters"}},
		{"recovery-long", []string{"S2 gets IMPATIENCE", "Inside:true", "S1 leaves", "BEGIN(Epoch:2,Members:[S1 S2 S3],Waiting:{S2})", "S2 enters"}},
		{"recovery-restart", []string{"S1 crashes", "S2 enters", "S1 sends ELECTION", "S1 sends SUSPECT", "PROBE", "ALIVE", "Members:[S1 S2 S3]", "S1 enters"}},
		{"recovery-fencing", []string{"S3 emits REMOVED(S1)", "Members:[S2 S3]", "S2 enters", "two nodes are inside: S1, S2"}},
		{"low-load", []string{"27.000 per entry"}},
		{"high-load", []string{"18.000 per entry"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			output := show(t, test.file)
			rest := output
			for _, part := range test.shows {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("%q is not where it should be in\n%s", part, output)
				}
				rest = after
			}
		})
	}
}

// Where a broken variant fails, the algorithm itself does not, as the comments in the
// files say.
func TestMended(t *testing.T) {
	variant := regexp.MustCompile(`(?m)^(algorithm \w+)/.*$|^unordered$`)
	broken := 0
	for _, path := range paths(t) {
		text := read(t, path).Directives
		mended := variant.ReplaceAllString(text, "$1")
		if mended == text {
			continue
		}
		broken++
		assert.Contains(t, runText(t, text), "\nfails at ", path)
		assert.NotContains(t, runText(t, mended), "\nfails at ", "%s, mended", path)
	}
	assert.GreaterOrEqual(t, broken, 7, "files that have anything to mend")
}

// Without recovery, a node that waits does so forever.
func TestRecovers(t *testing.T) {
	recovered := regexp.MustCompile(`(?m)^algorithm recovery-(\w+)$`)
	only := regexp.MustCompile(`(?m)^(expect|timeouts) .*$`)
	recovers := 0
	for _, path := range paths(t) {
		text := read(t, path).Directives
		without := recovered.ReplaceAllString(text, "algorithm $1")
		if without == text {
			continue
		}
		recovers++
		assert.NotContains(t, runText(t, text), "\nfails at ", path)
		var output strings.Builder
		plain := parse(t, only.ReplaceAllString(without, ""))
		_, _ = plain.Run(&output, lookupFor(plain)) // an error says that no node learns of a crash
		assert.Contains(t, output.String(), ": deadlock: ", "%s, without recovery", path)
	}
	assert.GreaterOrEqual(t, recovers, 8, "files with recovery")
}

func show(t *testing.T, file string) string {
	t.Helper()
	var output strings.Builder
	s := read(t, filepath.Join(filepath.Dir(files), file+".txt"))
	_, err := s.Run(&output, lookupFor(s))
	require.NoError(t, err)
	return output.String()
}

// The delays of Sanders' structure of four nodes (Reiser 2002, slide 5.30): rows are
// the nodes that leave, columns those that enter. A node does not wait for itself.
func TestSandersDelays(t *testing.T) {
	report, err := read(t, filepath.Join(filepath.Dir(files), "sanders-delays.txt")).Run(io.Discard, lookup)
	require.NoError(t, err)
	for i, row := range [][]float64{{0, 1, 1, 1}, {1, 0, 1, 1}, {2, 2, 0, 2}, {2, 2, 2, 0}} {
		for j, delay := range row {
			times := report.Pairs[[2]messaging.ID{messaging.ID(i), messaging.ID(j)}]
			assert.Equal(t, delay, times.Mean, "from S%d to S%d", i+1, j+1)
			assert.Equal(t, i != j, times.Count > 0, "from S%d to S%d: %d delays", i+1, j+1, times.Count)
		}
	}
}

// The counts in the output are those of the report.
func TestCounts(t *testing.T) {
	for _, path := range paths(t) {
		s := read(t, path)
		var output strings.Builder
		report, err := s.Run(&output, lookupFor(s))
		require.NoError(t, err, path)
		if strings.Contains(s.Directives, " from ") || !strings.Contains(output.String(), " messages") {
			continue
		}
		assert.Contains(t, output.String(), fmt.Sprintf("%d messages", report.Messages), path)
		for kind, sent := range report.Kinds {
			assert.Contains(t, output.String(), fmt.Sprintf("%d %s", sent, kind), path)
		}
	}
}
