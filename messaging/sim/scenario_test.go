package sim_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func parse(t *testing.T, text string) *sim.Scenario {
	t.Helper()
	s, err := sim.ReadScenario("test", strings.NewReader(text))
	require.NoError(t, err)
	return s
}

func runText(t *testing.T, text string) string {
	t.Helper()
	var output strings.Builder
	s := parse(t, text)
	_, err := s.Run(&output, lookupFor(s))
	require.NoError(t, err)
	return output.String()
}

// An error gives the line and what was expected there.
func TestReadErrors(t *testing.T) {
	const (
		begin    = "nodes 3\nalgorithm central\n"
		arbiters = "nodes 3\nalgorithm maekawa\n"
	)
	for _, test := range []struct{ text, err string }{
		{"", `test:1: expected "nodes" and their number, found the end of the directives`},
		{"nodes 3\n\n# asks\nat 0 S1 asks\n", `test:4: expected "algorithm" and its name`},
		{begin, `test:2: expected a request, an input or a load, such as "at 0 S1 asks", found the end`},
		{"algorithm central\nnodes 3", `test:1: expected "nodes" before anything else, found "algorithm"`},
		{"knots 3", `test:1: expected a directive, found "knots": go doc example.org/doorway/messaging/sim.Scenario lists all`},
		{begin + "latncy 3", `test:3: expected a directive, found "latncy": did you mean latency? go doc example.org/doorway/messaging/sim.Scenario lists all`},
		{"nodes", `test:1: expected a whole number, 1 to 1000, found the end of the line`},
		{"nodes 3 4", `test:1: expected nothing more, found "4"`},
		{begin + "nodes 4", `test:3: expected nodes only once, but line 1 has it`},
		{begin + "clock S1 0", `test:3: expected a whole number, 1 to 1000000, found "0"`},
		{begin + "clock S1 7\nclock S1 8", "test:4: expected clock S1 only once, but line 3 has it already"},
		{begin + "pace S1 0", `test:3: expected a time, 0 to 1000000 with at most six digits after the point, and after 0, found "0"`},
		{begin + "set S1 S2", `test:3: expected "=", found "S2"`},
		{begin + "set S1 = S2 S2", `test:3: expected another node, S1 to S3, found "S2"`},
		{begin + "at 0 S1 asks\nset S1 = S2\nset S3 = S1", `test:5: expected "set" for each node, including S2, found the end`},
		{begin + "latency", `test:3: expected a kind of message, two nodes such as S1->S2, or a duration`},
		{begin + "latency request 3", `found "request"`},
		{begin + "latency 0.0000001", `at most six digits after the point, found "0.0000001"`},
		{begin + "latency 1000000.000001", `found "1000000.000001"`},
		{begin + "latency REQUEST S1 -> S2 3", `test:3: expected two nodes such as S1->S2, an ordinal such as #2, or a duration such as 1.5, 1..3 or exp(2), 0 to 1000000 with at most six digits after the point, found "S1"`},
		{begin + "latency S1->S2 S3", `test:3: expected an ordinal such as #2, or a duration such as 1.5, 1..3 or exp(2)`},
		{begin + "latency S1->S4 2", `test:3: expected two nodes, such as S1->S2 or S1->*, found "S1->S4"`},
		{begin + "latency REPLY S1->* 2\nlose REPLY S1->*", `test:4: expected a latency, loss or duplication of REPLY S1->* only once, but line 3`},
		{begin + "latency REQUEST S1->S2 #0 2", `test:3: expected an ordinal, #1 to #1000000, found "#0"`},
		{begin + "latency REQUEST S1->S2 #2", `test:3: expected a duration such as 1.5, 1..3 or exp(2), 0 to 1000000 with at most six digits after the point, found the end`},
		{begin + "latency #2 3", `test:3: expected a kind of message, two nodes such as S1->S2, or a duration`},
		{begin + "lose S1->S2 #2\ndouble S1->S2 #2", `test:4: expected a latency, loss or duplication of S1->S2 #2 only once, but line 3`},
		{begin + "double", `test:3: expected a kind of message, or two nodes such as S1->S2, found the end`},
		{begin + "at S1 asks", `test:3: expected a time, 0 to 1000000`},
		{begin + "at 0 S1 leaves", `test:3: expected "asks", "gets" or "crashes", found "leaves"`},
		{begin + "at 0 S1 asks and", `test:3: expected "stays" or "gives up at", each at most once, found the end of the line`},
		{begin + "at 2 S1 asks and gives up at 2", `and after 2, found "2"`},
		{begin + "at 2 S1 asks and gives at 3", `test:3: expected "up", found "at"`},
		{begin + "at 0 S1 asks and stays 0", `and after 0, found "0"`},
		{begin + "at 0 S1 asks\nat 0.0 S1 asks", `test:4: expected a request of S1 at 0 only once, but line 3`},
		{begin + "at 0 S1 crashes", `test:3: expected a request, an input or a load`},
		{begin + "low 3 entries", `test:3: expected "load", found "3"`},
		{begin + "low load 3 entries\nat 0 S1 asks", `test:4: expected single requests or a load, found both`},
		{begin + "until 0", `and after 0, found "0"`},
		{begin + "patience 0", `and after 0, found "0"`},
		{begin + "timeouts 0", `and after 0, found "0"`},
		{begin + "stay 0", `and more than 0, found "0"`},
		{begin + "show events events", `found "events"`},
		{begin + "seed -1", `test:3: expected a whole number, 0 to 18446744073709551615, found "-1"`},
		{begin + "show", `test:3: expected one of these sections, each at most once: events, entries, emits, messages, delays, report, found the end of the line`},
		{arbiters + "expect", `3: expected a fact: a number and what it is of, "state", "order", "fails", "no failure" or "longest wait", found the end of the line`},
		{arbiters + "expect 3 rounds", `3: expected a kind of message, "messages", "entries", "bypasses" or "lost", found "rounds"`},
		{arbiters + "expect fails overflow", `3: expected a failure: deadlock, endless, exclusion, invariant, panic, results, found "overflow"`},
		{arbiters + "expect state S2 at soon", `3: expected "end", or a time, 0 to 1000000`},
		{arbiters + "state S1 at 2\nstate S1 at 2", `4: expected state S1 at 2 only once, but line 3`},
		{arbiters + "latency 3..1", `3: expected a kind of message`},
		{arbiters + "loss 1.5", `3: expected a probability`},
		{arbiters + "loss 0", `3: expected a probability such as 0.25, more than 0 and at most 1, found "0"`},
		{arbiters + "give 0.5", `3: expected "up", found "0.5"`},
		{arbiters + "give up 0.5 after x", `3: expected a duration such as`},
		{arbiters + "low load 3 entries at S1", `3: expected "random", found "S1"`},
		{arbiters + "high load 3 entries at random", `3: expected nothing more, found "at"`},
		{arbiters + "latency S1->S2 exp(2", `found "exp(2"`},
		{arbiters + "at 3 S1 crashes and restarts at 3", `and after 3, found "3"`},
		{arbiters + "topology round", `3: expected a topology: complete, line, ring, star, tree and the number of children, or grid and the number of columns, found "round"`},
		{arbiters + "topology grid 2", `3: expected a number of columns that divides the number of nodes, 3, found 2`},
		{arbiters + "topology ring\nlinks S1 = S2", `4: expected one topology, but line 3 has it already`},
		{arbiters + "at 0 S1 asks\nlinks S1 = S2", `4: expected "links" for each node, including S2, found the end`},
		{arbiters + "at 0 S1 asks\nlinks S2 = S1\nlinks S1 = S2\nlinks S3 = S1", `5: expected links by which every node reaches every other, but no path leads from S1 to S3`},
		{arbiters + "at 0 S1 asks\nlinks S2 = S1\nlinks S1 = S1\nlinks S3 = S1", `5: expected links by which every node reaches every other, but S1 has a link to itself`},
		{arbiters + "sets plane\nset S1 = S1", `4: expected sets by name or a list of them, found both`},
		// of the run
		{arbiters + "at 0 S1 asks\nsets circle", `4: no set "circle": the sets are folded, grid, majority, plane, reiser-13, reiser-4 and tree`},
		{arbiters + "at 0 S1 asks\nsets reiser-13", `4: these sets are for 13 nodes, not 3`},
		{"nodes 3\nalgorithm echo\nat 0 S1 asks\ntopology ring", `4: these links are not for echo: S1 has a link to S2, which has none to S1: links lead in both directions`},
		{"nodes 3\nalgorithm echo\nlinks S1 = S2; links S2 = S1 S3\nlinks S3 = S1\nat 0 S1 asks", `3: these links are not for echo: S2 has a link to S3, which has none to S2`},
		{"nodes 3\nalgorithm naimitrehel\nat 0 S1 asks\nset S1 = S2\nset S2 = S1\nset S3 = S3", `5: naimitrehel takes fathers that form a tree, but S2 is on a cycle`},
		{"nodes 3\nalgorithm naimitrehel\nat 0 S1 asks\nset S1 = S1\nset S2 = S1\nset S3 = S3", `6: naimitrehel takes fathers that form one tree, but S1 and S3 are roots`},
		{"nodes 3\nalgorithm ring\nat 0 S1 gets HOLD\nset S1 = S2\nset S2 = S1\nset S3 = S2", `ring takes successors that form one ring of all nodes, but from S1 on they are {S1 S2 S1}`},
		{"nodes 3\nalgorithm ring\nat 0 S1 gets HOLD\nset S1 = S2\nset S2 = S1 S3\nset S3 = S2", `5: ring takes one node to which each sends first, but S2 has 2`},
		{arbiters + "at 0 S1 asks\ntimeouts 4", `4: maekawa has no timeouts`},
		{arbiters + "at 0 S1 asks\nloss 0.000001", `4: expected a message to be lost at random, but none is`},
		{arbiters + "at 0 S1 asks\nlose LOCKED #1\nloss 0.000001", `5: expected a message to be lost at random, but none is`},
		{arbiters + "at 0 S1 asks\ngive up 1", `4: expected a request of a load to be given up, but none is`},
		{arbiters + "at 0 S1 asks\nat 2 S3 crashes and restarts at 9\nuntil 8", `4: expected S3 to restart at 9, but the run ends at 8`},
		{begin + "at 0 S1 asks\n----\nat 0 S9 asks", ""},
	} {
		_, err := runError(test.text)
		if test.err == "" {
			assert.NoError(t, err, "%q", test.text)
			continue
		}
		assert.ErrorContains(t, err, "test:", "%q", test.text)
		assert.ErrorContains(t, err, test.err, "%q", test.text)
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	_, err := sim.ReadScenario("test", brokenReader{})
	assert.ErrorIs(t, err, errBroken)
	assert.ErrorContains(t, err, "test: ")
}

var errBroken = errors.New("broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error)  { return 0, errBroken }
func (brokenReader) Write([]byte) (int, error) { return 0, errBroken }

// The lookup gets what the file specifies.
func TestSetting(t *testing.T) {
	s := parse(t, "nodes 2\nalgorithm any\nholder S2\nset S2 = S2 S1\nset S1 = S1\ninform S1 = S2\ninform S2 = S1\nat 0 S1 asks\n")
	for range 2 {
		var got sim.Setting // with which it is called first
		_, err := s.Run(io.Discard, func(setting sim.Setting) (messaging.Algorithm, error) {
			if got.Nodes == 0 {
				got = setting
			}
			return nil, errBroken
		})
		assert.ErrorIs(t, err, errBroken)
		assert.EqualError(t, err, "test:2: broken")
		assert.Equal(t, sim.Setting{
			Algorithm: "any", Nodes: 2, Holder: 1,
			Request: [][]messaging.ID{{0}, {1, 0}}, Inform: [][]messaging.ID{{1}, {0}},
		}, got)
	}
}

func TestExpected(t *testing.T) {
	const directives = "nodes 1\nalgorithm central\nat 0 S1 asks"
	s := parse(t, directives)
	assert.False(t, s.Expects, "without a line of dashes")
	assert.Empty(t, s.Expected, "without a line of dashes")
	assert.Equal(t, directives+"\n", s.Directives)
	s = parse(t, directives+"\n----")
	assert.True(t, s.Expects, "after a line of dashes")
	assert.Empty(t, s.Expected, "after a line of dashes")
	text := s.Directives + "----\none\n----\n# two\n"
	s = parse(t, strings.ReplaceAll(text, "\n", "\r\n"))
	assert.True(t, s.Expects)
	assert.Equal(t, "one\n----\n# two\n", s.Expected)
	assert.Equal(t, directives+"\n", s.Directives)
	for _, same := range []string{
		strings.TrimSuffix(text, "\n"), // some editors omit the last newline
		"\ufeff" + text,                // some write a byte order mark
		strings.Replace(text, "\n----", "\n\t---- ", 1),
	} {
		s := parse(t, same)
		assert.True(t, s.Expects, "%q", same)
		assert.Equal(t, "one\n----\n# two\n", s.Expected, "%q", same)
	}
}

// The longest times that a file can have do not make a run fail.
func TestLongTimes(t *testing.T) {
	output := runText(t, "nodes 13\nalgorithm ricartagrawala\nlatency 999999.999999\nstay 1000000\nhigh load 20 entries\nshow entries")
	if last := "S7 asks at 14999999.999992, enters at 39999999.999979, leaves at 40999999.999979\n"; !strings.HasSuffix(output, last) {
		t.Errorf("shows\n%s\nand not in the end\n%s", output, last)
	}
	// More digits than a float64 holds.
	output = runText(t, "nodes 2\nalgorithm central\nstay 1000000\nlatency 0.000001\nlow load 10000 entries\nshow entries")
	if last := "S2 asks at 9999000000.014997, enters at 9999000000.014999, leaves at 10000000000.014999\n"; !strings.HasSuffix(output, last) {
		t.Errorf("ends with\n%s\nand not\n%s", output[len(output)-len(last):], last)
	}
}

// Each directive does what the documentation of Scenario says.
func TestDirectives(t *testing.T) {
	const (
		ra    = "nodes 2\nalgorithm ricartagrawala\nshow entries\n"
		three = "nodes 3\nalgorithm ricartagrawala\nshow entries\n"
	)
	for _, test := range []struct{ name, text, output string }{
		{"the package comment", "nodes 3\nalgorithm ricartagrawala\nat 0 S1 asks\nat 0 S3 asks", `S1 asks at 0, enters at 2, leaves at 3
S3 asks at 0, enters at 4, leaves at 5

8 messages, 4 per entry
     4 REQUEST
     4 REPLY
`},
		{"latency of a link", ra + "latency S1->S2 3\nat 0 S1 asks", "S1 asks at 0, enters at 4, leaves at 5\n"},
		{"latency to all", ra + "latency S1->* 3\nat 0 S1 asks", "S1 asks at 0, enters at 4, leaves at 5\n"},
		{"latency from all", ra + "latency *->S1 0\nat 0 S1 asks", "S1 asks at 0, enters at 1, leaves at 2\n"},
		{"the first latency", ra + "latency REQUEST S1->S2 3\nlatency REQUEST 7\nat 0 S1 asks\nat 10 S2 asks", "S1 asks at 0, enters at 4, leaves at 5\nS2 asks at 10, enters at 18, leaves at 19\n"},
		{"lose", ra + "lose REPLY S2->S1\nat 0 S1 asks", "S1 asks at 0, still waits\n\nfails at 1: deadlock: a request is pending and no message is in transit: S1\n"},
		{"latency of one message", ra + "latency REQUEST S1->S2 #2 30\nat 0 S1 asks\nat 5 S1 asks\nat 50 S1 asks # 2", "S1 asks at 0, enters at 2, leaves at 3\nS1 asks at 5, enters at 36, leaves at 37\nS1 asks at 50, enters at 52, leaves at 53\n"},
		{"latency of the second of a kind", ra + "latency REPLY #2 0\nat 0 S1 asks\nat 5 S2 asks#2\n#3\n #4", "S1 asks at 0, enters at 2, leaves at 3\nS2 asks at 5, enters at 6, leaves at 7\n"},
		{"lose one message", ra + "lose REQUEST #2\nat 0 S1 asks\nat 5 S1 asks and gives up at 9\nat 10 S1 asks", "S1 asks at 0, enters at 2, leaves at 3\nS1 asks at 10, enters at 12, leaves at 13\nS1 asks at 5, gives up at 9\n"},
		{"double one message", "nodes 2\nalgorithm ricartagrawala\nshow events from 2\ndouble REPLY S2->S1 #2 7\nhigh load 2 entries by S1", `2       S1 gets REPLY(1,S1) from S2
2       S1 enters
3       S1 leaves
3       S1 asks
3       S1 sends REQUEST(2,S1) to S2
4       S2 gets REQUEST(2,S1) from S1
4       S2 sends REPLY(2,S1) to S1
4       REPLY(2,S1) from S2 to S1 is duplicated
5       S1 gets REPLY(2,S1) from S2
5       S1 enters
6       S1 leaves
11      S1 gets REPLY(2,S1) from S2
`},
		{"asks again", ra + "stay 10\nat 0 S1 asks\nat 1 S1 asks", "S1 asks at 0, enters at 2, leaves at 12\nS1 asks at 12, enters at 14, leaves at 24\n"},
		{"crashes while it gives up", "nodes 2\nalgorithm roucairolcarvalho\nshow entries\nlose REPLY *->S2\nat 0 S2 asks and gives up at 4\nat 5 S2 crashes", "S2 asks at 0, gives up at 4\n"},
		{"fails at the last event", three + "at 0 S1 asks and gives up at 100\nat 5 S2 asks\nat 4 S3 crashes", "S1 asks at 0, enters at 2, leaves at 3\nS2 asks at 5, still waits\n\nfails at 7: deadlock: a request is pending and no message is in transit: S2\n"},
		{"gives up once", ra + "stay 5\nat 0 S1 asks and gives up at 30\nat 29 S1 asks", "S1 asks at 0, enters at 2, leaves at 7\nS1 asks at 29, enters at 31, leaves at 36\n"},
		{"crashes at once", ra + "stay 10\nat 0 S1 asks\nat 2 S1 crashes", "S1 asks at 0, crashes at 2\n"},
		{"asks just before it would give up", ra + "stay 10\nat 0 S1 asks\nat 2 S1 asks and gives up at 12.000001", "S1 asks at 0, enters at 2, leaves at 12\nS1 asks at 12, gives up at 12.000001\n"},
		{"gives up when it could enter", ra + "at 0 S1 asks and gives up at 2", "S1 asks at 0, gives up at 2\n"},
		{"from", "nodes 2\nalgorithm ricartagrawala\nat 0 S1 asks\nat 10 S2 asks\nshow messages entries events from 11", `11      S1 gets REQUEST(2,S2) from S2
11      S1 sends REPLY(2,S2) to S2
12      S2 gets REPLY(2,S2) from S1
12      S2 enters
13      S2 leaves

1 message
     1 REPLY
`},
		{"high load by one", ra + "high load 2 entries by S2", "S2 asks at 0, enters at 2, leaves at 3\nS2 asks at 3, enters at 5, leaves at 6\n"},
		{"detect", "nodes 2\nalgorithm ricartagrawala-acknowledged\nshow entries\ndetect 3\nat 0 S2 crashes\nat 1 S1 asks", "S1 asks at 1, enters at 3, leaves at 4\n"},
		{"low load with a gap", three + "low load 2 entries gap 3 by S2", "S2 asks at 3, enters at 5, leaves at 6\nS2 asks at 9, enters at 11, leaves at 12\n"},
		{"high load with a pause", three + "high load 2 entries think 3 by S2", "S2 asks at 0, enters at 2, leaves at 3\nS2 asks at 6, enters at 8, leaves at 9\n"},
		{"low load at random", three + "low load 3 entries at random\nseed 1", "S3 asks at 0, enters at 2, leaves at 3\nS1 asks at 3, enters at 5, leaves at 6\nS3 asks at 6, enters at 8, leaves at 9\n"},
		{"loss", three + "at 0 S1 asks\nloss 1", "S1 asks at 0, still waits\n\nfails at 0: deadlock: a request is pending and no message is in transit: S1\n"},
		{"giving up", three + "high load 1 entries\nlatency 3\ngive up 1 after 1\nuntil 1", "S1 asks at 0, gives up at 1\nS1 asks at 1, still waits\n"},
		{"topology", "nodes 3\nalgorithm central\ntopology tree 1\nholder S2\nat 0 S3 asks\nat 1 S1 asks\nshow entries", "S3 asks at 0, enters at 2, leaves at 3\nS1 asks at 1, enters at 5, leaves at 6\n"},
		{"topology of a single node", "nodes 1\nalgorithm raymond\ntopology tree 2\nat 0 S1 asks\nshow entries", "S1 asks at 0, enters at 0, leaves at 1\n"},
		{"inputs of locks without a request", "nodes 2\nalgorithm snapshot-suzukikasami\nat 0 S1 gets TAKE\nshow messages", "2 messages\n     2 MARKER\n"},
		{"order of a ring", "nodes 3\nalgorithm changroberts\nset S1 = S3; set S2 = S1; set S3 = S2\nat 0 S3 gets HOLD\nuntil 1\nshow events", `0       S3 gets HOLD from its user
0       S3 sends ELECT(S3) to S2
1       S2 gets ELECT(S3) from S3
1       S2 sends ELECT(S3) to S1
`},
		{"fathers", "nodes 3\nalgorithm naimitrehel\nset S1 = S2; set S2 = S3; set S3 = S3\nat 0 S1 asks\nshow entries messages", "S1 asks at 0, enters at 3, leaves at 4\n\n3 messages, 3 per entry\n     2 REQUEST\n     1 TOKEN\n"},
		{"comments", "nodes 1#node\n \t\nalgorithm central # S1\nat 0 S1 asks#!", "S1 asks at 0, enters at 0, leaves at 1\n\n0 messages, 0 per entry\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.output, runText(t, test.text))
		})
	}
	got, err := runError("nodes 3\nalgorithm central\ntopology ring\nat 0 S3 asks\nexpect fails panic")
	assert.NoError(t, err)
	assert.Contains(t, got, "to which it has no link")
}

func TestRunPassesErrorsOn(t *testing.T) {
	s := parse(t, "nodes 2\nalgorithm central\nat 0 S2 asks\n")
	_, err := s.Run(brokenReader{}, lookup)
	assert.ErrorIs(t, err, errBroken)
	nothing := func(sim.Setting) (messaging.Algorithm, error) { return nil, nil }
	_, err = s.Run(io.Discard, nothing)
	assert.ErrorContains(t, err, "test: ")
}

// A run ends even if the algorithm does not, whether time passes or not.
func TestEndlessRun(t *testing.T) {
	lookup := func(sim.Setting) (messaging.Algorithm, error) {
		return of(handlers{
			request: func(h *handlers, out messaging.Out) { out.Send(1-h.Self, Token{}) },
			receive: func(_ *handlers, from messaging.ID, m messaging.Message, out messaging.Out) { out.Send(from, m) },
		}), nil
	}
	const text = "nodes 2\nalgorithm restless\nat 3 S2 asks\nshow entries\n"
	for _, test := range []struct{ latency, err, output string }{
		{"0", "test:2: expected a run of at most 1000000 events, but at 3 T it has more", ""},
		{"1", "test:2: expected a run of at most 1000000 events, but at 500003 T it has more", ""},
		{"1000000", "", "the run does not end: S2\n"},
	} {
		var output strings.Builder
		_, err := parse(t, text+"latency "+test.latency).Run(&output, lookup)
		if test.err == "" {
			assert.NoError(t, err, "latency %s", test.latency)
		} else {
			assert.EqualError(t, err, test.err, "latency %s", test.latency)
		}
		if !strings.HasSuffix(output.String(), test.output) {
			t.Errorf("latency %s: shows\n%s", test.latency, output.String())
		}
	}
}

// The output shows how an algorithm fails: the nodes inside, or why a node panicked.
func TestScenarioFailures(t *testing.T) {
	lookup := func(sim.Setting) (messaging.Algorithm, error) {
		return of(handlers{request: enter, release: func(*handlers, messaging.Out) { panic("clumsy: dropped it") }}), nil
	}
	for _, test := range []struct{ text, begin, end string }{
		{"at 0 S3 asks\nat 0.5 S2 asks", "S3 asks at 0, enters at 0, is still inside\n", "\n\nfails at 0.5: two nodes are inside: S3, S2\n"},
		{"at 0 S3 asks", "S3 asks at 0, enters at 0, leaves at 1\n\nfails at 1: S3 leaves, and panics: ", "clumsy: dropped it\n"},
	} {
		var output strings.Builder
		_, err := parse(t, "nodes 3\nalgorithm clumsy\nshow entries\n"+test.text).Run(&output, lookup)
		if err != nil || !strings.HasPrefix(output.String(), test.begin) || !strings.HasSuffix(output.String(), test.end) {
			t.Errorf("error is %v, and it shows\n%s\nand not\n%s...%s", err, output.String(), test.begin, test.end)
		}
	}
}

// Nodes that are slow enter 2 T after their requests, without mutual exclusion.
func slow(sim.Setting) (messaging.Algorithm, error) { return afterwards(2 * sim.T), nil }

// Failures include requests that are being absorbed.
func TestAbsorbedFailures(t *testing.T) {
	var output strings.Builder
	s := parse(t, "nodes 2\nalgorithm slow\nstay 5\nat 0 S2 asks\nat 1 S1 asks and gives up at 2\n")
	_, err := s.Run(&output, slow)
	if want := "\n\nfails at 3: two nodes are inside: S2, S1\n"; err != nil || !strings.HasSuffix(output.String(), want) {
		t.Errorf("error is %v, and it shows\n%s\nand not %s", err, output.String(), want)
	}
	const lost = "nodes 2\nalgorithm roucairolcarvalho\nshow entries\nat 0 S2 asks and gives up at 4\nlose REPLY *->S2"
	stuck := runText(t, lost)
	assert.Equal(t, "S2 asks at 0, gives up at 4\n\nfails at 4: deadlock: a request is pending and no message is in transit\n", stuck)
}
