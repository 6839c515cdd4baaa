package sim_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A line without effect is an error, and what the algorithm refuses; one with an effect is not.
func TestWithoutEffect(t *testing.T) {
	const (
		ra      = "nodes 2\nalgorithm ricartagrawala\n"
		central = "nodes 2\nalgorithm central\n"
		asks    = "at 0 S1 asks\n"
	)
	for _, test := range []struct{ name, text, err string }{
		{"a kind that is not sent", ra + asks + "lose REPLAY S2->*", "test:4: expected messages REPLAY S2->*, but none was sent"},
		{"a link that is not used", ra + asks + "latency REQUEST S2->S1 2", "test:4: expected messages REQUEST S2->S1, but none was sent"},
		{"a link to itself", ra + asks + "latency S1->S1 2", "test:4: expected messages S1->S1, but none was sent"},
		{"behind an exception", ra + asks + "latency REQUEST S1->S2 3\nlatency REQUEST 7", "test:5: expected messages REQUEST *->*, but line 4 applies to those that were sent"},
		{"behind two exceptions", ra + asks + "at 9 S2 asks\nlatency S2->S1 2\nlatency S1->* 2\nlatency *->* 7", "test:7: expected messages *->*, but line 6 applies to those that were sent"},
		{"the latency of nothing else", ra + "latency REQUEST 2\nlatency 5\nlatency REPLY 1\n" + asks, "test:4: expected messages to which no other line applies, but none was sent"},
		{"of several the first", ra + "lose REPLAY\nat 60 S2 crashes\ndetect 3\n" + asks, "test:3: expected messages REPLAY *->*, but none was sent"},

		{"asks after the end", ra + asks + "until 50\nat 60 S2 asks", "test:5: expected S2 to ask at 60, but the run ends at 50"},
		{"asks at the end", ra + asks + "until 50\nat 50 S2 asks", ""},
		{"the end waits for no node that is down", "nodes 3\nalgorithm central\nat 0 S2 asks\nstate S1 at 500\nat 1000 S3 asks\nat 1 S3 crashes", "test:4: expected the state of S1 at 500, but the run ends at 4"},
		{"asks behind one that does not end", ra + asks + "stay 100\nuntil 50\nat 10 S1 asks", "test:6: expected S1 to ask at 10, but its request made at 0 is not over when the run ends at 50"},
		{"asks after a crash", ra + asks + "at 3 S2 crashes\nat 3 S2 asks", "test:5: expected S2 to ask at 3, but it crashes at 3"},
		{"asks before it has left and crashes", ra + asks + "at 2.5 S1 crashes\nat 1 S1 asks", "test:5: expected S1 to ask at 1, but it crashes at 2.5"},
		{"asks while it is down", ra + "at 0 S1 crashes and restarts at 5\nat 2 S1 asks\nat 7 S1 asks", "test:4: expected S1 to ask at 2, but it crashes at 0"},
		{"would have given up", ra + "stay 10\n" + asks + "at 1 S1 asks and gives up at 12\nat 2 S1 asks", "test:5: expected S1 to ask at 1, or at least before 12, but its request made at 0 is over only at 12"},
		{"would have given up in the end", ra + "stay 10\n" + asks + "at 1 S1 asks and gives up at 11", "test:5: expected S1 to ask at 1, or at least before 11, but its request made at 0 is over only at 12"},
		{"asks behind one that waits in vain", ra + asks + "lose REPLY\nat 1 S1 asks", ""},
		{"fewer entries", ra + "high load 9 entries\nat 3 S1 crashes\nat 3 S2 crashes", "test:3: expected 9 entries, but crashes leave only 1"},
		{"fewer entries, one after the other", ra + "low load 9 entries at random\nat 3.5 S1 crashes\nat 3 S2 crashes", "test:3: expected 9 entries, but crashes leave only 1"},
		{"fewer entries until", ra + "high load 9 entries\nuntil 5", ""},
		{"a deadlock, and then a crash", ra + asks + "lose S2->S1\nuntil 5\nat 6 S2 crashes", "test:6: expected S2 to crash at 6, but the run ends at 1"},
		{"crashes after the end", ra + asks + "at 60 S2 crashes", "test:4: expected S2 to crash at 60, but the run ends at 3"},

		{"detects no crash", ra + asks + "detect 3", "test:4: expected a crash to detect, but no node crashes"},
		{"no survivor", ra + asks + "at 3 S2 crashes\ndetect 3", "test:5: expected a node to learn of a crash, but none does"},
		{"the end comes first", "nodes 2\nalgorithm ricartagrawala-acknowledged\nat 0 S1 asks\nat 1 S2 crashes\ndetect 3\nuntil 3.9", "test:5: expected a node to learn of a crash, but none does"},

		{"no timer", ra + asks + "pace S2 2", "test:4: expected a timer of S2 to expire, but none does"},
		{"a timer", "nodes 2\nalgorithm ricartagrawala-acknowledged\nat 0 S1 asks\npace S1 2", ""},

		{"no clock", "nodes 2\nalgorithm central\nclock S2 3\nat 0 S2 asks", "test:3: expected S2 to have a logical clock, but it has none"},
		{"a clock", ra + asks + "clock S2 3", ""},

		{"the second exception", central + "latency REQUEST S2->S1 2\nlose REPLAY *->S2\nat 0 S2 asks\n", "test:4: expected messages REPLAY *->S2, but none was sent"},
		{"too few messages", central + "latency REQUEST 2\nlose S2->S1 #3\ndouble REQUEST S2->S1 #1\nat 0 S2 asks\n", "test:4: expected messages S2->S1 #3, but only 2 of these were sent"},
		{"an ordinal behind an exception", central + "latency REQUEST 2\ndouble REQUEST S2->S1 #1\nat 0 S2 asks\n", "test:4: expected messages REQUEST S2->S1 #1, but line 3 applies to those that were sent"},
		{"a loss to a node that is down", "nodes 3\nalgorithm ricartagrawala\n" + asks + "loss 0.0001\nat 1 S1 crashes", "test:4: expected a message to be lost at random, but none is"},
		{"no duplication", "nodes 3\nalgorithm ricartagrawala\n" + asks + "duplication 0.000001\ndouble REPLY S2->S1 #1", "test:4: expected a message to be duplicated at random, but none is"},

		// errors about sets have the line of the set, and name nodes as the file does
		{"maekawa", "nodes 3\nalgorithm maekawa\nset S3 = S3\nset S2 = S2 S1\nset S1 = S1 S2\n" + asks, "test:5: quorum: the sets of S1 and S3 have no member in common: {S1 S2} and {S3}"},
		{"no use for sets", "nodes 1\nalgorithm central\n" + asks + "set S1 = S1\n", "test:4: central takes no sets"},
		{"no use for sets to inform", "nodes 1\nalgorithm maekawa\n" + asks + "inform S1 = S1\nset S1 = S1\n", "test:4: maekawa informs those that it asks: it takes no other sets to inform"},
		{"sets to inform alone", "nodes 1\nalgorithm sanders\n" + asks + "inform S1 = S1\n", "test:4: sanders also needs the sets of nodes to ask"},
		{"sanders", "nodes 2\nalgorithm sanders\nset S1 = S1 S2\ninform S1 = S1\ninform S2 = S1\nset S2 = S1\n" + asks, "test:5: sanders: S2 is not in its own inform set {S1}"},
		{"sanders, asked and informed", "nodes 2\nalgorithm sanders\nset S1 = S1 S2\nset S2 = S1\n" + asks, "test:4: sanders: S2 is not in its own inform set {S1}"},
		{"no such algorithm", "nodes 1\nset S1 = S1\nalgorithm centrel\n" + asks, `test:3: no algorithm "centrel": did you mean central?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(t, test.text).Run(io.Discard, lookup)
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.err)
			}
		})
	}
}

// A failure is shown before any line without effect is reported, and lines that
// concern later times are not reported.
func TestFailureFirst(t *testing.T) {
	const (
		text  = "nodes 2\nalgorithm slow\nstay 5\nshow entries\nat 0 S1 asks\nat 1 S2 asks\n"
		shown = "S1 asks at 0, enters at 2, is still inside\nS2 asks at 1, enters at 3, is still inside\n\nfails at 3: two nodes are inside: S1, S2\n"
	)
	for later, want := range map[string]string{
		"latency RELEASE 5":           "test:7: expected messages RELEASE *->*, but none was sent before the run failed",
		"at 9 S1 asks":                "",
		"at 9 S1 crashes\ndetect 100": "",
	} {
		var output strings.Builder
		_, err := parse(t, text+later).Run(&output, slow)
		assert.Equal(t, shown, output.String(), later)
		if want == "" {
			assert.NoError(t, err, later)
		} else {
			assert.EqualError(t, err, want)
		}
	}
	_, err := parse(t, text+"latency RELEASE 5").Run(brokenReader{}, slow)
	assert.ErrorIs(t, err, errBroken)
}

// Times that overflow are not a failure of the algorithm.
func TestOverflow(t *testing.T) {
	for end, line := range map[string]int{"high load 10000 entries\n": 4, script(): 10_003} {
		text := "nodes 1000\nalgorithm central\nstay 1000000\n" + end + "show report\n"
		var output strings.Builder
		_, err := parse(t, text).Run(&output, lookup)
		assert.ErrorContains(t, err, fmt.Sprintf("test:%d: expected times that add up to at most 9223372036854.775807 T, but at ", line))
		assert.Empty(t, output.String())
	}
}

// script returns requests: ten of each of 1000 nodes.
func script() string {
	var s strings.Builder
	for k := range 10_000 {
		fmt.Fprintf(&s, "at %d S%d asks\n", k/1000, k%1000+1)
	}
	return s.String()
}

// Too many events of a load are an error at its line.
func TestEventLimitOfLoad(t *testing.T) {
	tier.NeedsFull(t, "simulates a million events")
	_, err := parse(t, "nodes 200\nalgorithm lamport\nshow report\nlow load 10000 entries\n").Run(io.Discard, lookup)
	assert.ErrorContains(t, err, "test:4: expected a run of at most 1000000 events, but at ")
	assert.ErrorContains(t, err, " T it has more")
}

// An error of lookup can be recognized by errors.Is, however it names nodes. If it is
// about sets but names none in the file, it has the line of the first.
func TestRefusalsAreTheLookups(t *testing.T) {
	s := parse(t, "nodes 2\nalgorithm any\nset S1 = S2\nset S2 = S1\nat 0 S1 asks\n")
	for _, test := range []struct{ text, want string }{
		{"node 1 asks [0]: %w", "test:4: S2 asks {S1}: broken"},
		{"node 7: %w", "test:3: S8: broken"},
		{"nodes 0 and 99999999999: %w", "test:3: S1 and 99999999999: broken"},
		{"node 99999999999 or set [1 2: %w", "test:3: node 99999999999 or set [1 2: broken"},
	} {
		_, err := s.Run(io.Discard, func(setting sim.Setting) (messaging.Algorithm, error) {
			if setting.Request == nil {
				return nil, nil
			}
			return nil, fmt.Errorf(test.text, errBroken)
		})
		assert.EqualError(t, err, test.want)
		assert.ErrorIs(t, err, errBroken)
	}
}

// Of many waiting nodes, only the first 20 are named.
func TestManyWait(t *testing.T) {
	output := runText(t, "nodes 30\nalgorithm ricartagrawala\nlose REPLY\nhigh load 30 entries\nshow messages")
	assert.True(t, strings.HasSuffix(output, ": S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12, S13, S14, S15, S16, S17, S18, S19, S20 and 10 more\n"), output)
}

// Blank lines at the end of the directives or of the output do not matter.
func TestTrailingBlankLines(t *testing.T) {
	const directives = "nodes 1\nalgorithm central\nat 0 S1 asks\n"
	for _, blank := range []string{"", "\n", "\n\n", " \n\t\r\n\n", "\n "} {
		for _, output := range []string{"one\n", "one\n\n  two\n"} {
			s := parse(t, directives+"\n\n----\n"+output+blank)
			assert.True(t, s.Expects)
			assert.Equal(t, output, s.Expected, "%q", blank)
		}
		_, err := sim.ReadScenario("test", strings.NewReader("nodes 1\nalgorithm central\n"+blank+"----\n"))
		assert.EqualError(t, err, `test:2: expected a request, an input or a load, such as "at 0 S1 asks", found the end of the directives`, "%q", blank)
	}
	output := runText(t, directives+"show events from 1000")
	assert.Empty(t, output, "nothing is shown, and that is no line")
}
