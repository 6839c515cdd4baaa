package sim_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging/sim"
)

// runError returns the error with which a text cannot be read or run, and the output.
func runError(text string) (string, error) {
	s, err := sim.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		return "", err
	}
	var output strings.Builder
	_, err = s.Run(&output, lookup)
	return output.String(), err
}

// An unmet expectation says what is instead, after the output.
func TestExpect(t *testing.T) {
	const text = "nodes 3\nalgorithm ricartagrawala\nat 0 S3 asks\nat 1 S2 asks\nshow entries\n"
	const output = "S2 asks at 1, enters at 3, leaves at 4\nS3 asks at 0, enters at 5, leaves at 6\n"
	for expect, instead := range map[string]string{
		"order S2 S3":                        "",
		"order S3 S2":                        "it is S2 S3",
		"order S2":                           "it is S2 S3",
		"4 REQUEST":                          "",
		"5 REQUEST":                          "it is 4",
		"1 REPLAY":                           "it is 0",
		"2 entries":                          "",
		"3 entries":                          "it is 2",
		"8 messages":                         "",
		"9 messages":                         "it is 8",
		"0 lost":                             "",
		"1 lost":                             "it is 0",
		"1 bypasses":                         "",
		"0 bypasses":                         "it is 1",
		"longest wait 5":                     "",
		"longest wait 4.5":                   "it is 5",
		"no failure":                         "",
		"fails exclusion":                    "the run does not fail",
		"state S2 at 0.5 Phase = idle":       "",
		"state S2 at 1 Phase = waiting":      "",
		"state S2 at 2.5 Deferred = [0 0 1]": "",
		"state S2 at 4 Deferred = [0 0 1]":   "it is [0 0 0]",
		"state S3 at end Phase = inside":     "it is idle",
		"state S3 at 5 Mine = (1, S3)":       "",
		"state S3 at 5 Mine = (1, S2)":       "it is (1, S3)",
		"state S3 at 5 Stamp = (1, S2)":      "its fields are Phase, Highest, Mine, Replies, Deferred",
		"state S3 at 5 Replies = 2 # not only of S2": "",
	} {
		got, err := runError(text + "expect " + expect)
		assert.Equal(t, output, got, expect)
		fact, _, _ := strings.Cut(expect, " #")
		if instead == "" {
			assert.NoError(t, err, expect)
		} else {
			assert.EqualError(t, err, "test:6: expected "+fact+", but "+instead)
		}
	}
	_, err := runError(text + "expect state S3 at 6.5 Replies = 2")
	assert.EqualError(t, err, "test:6: expected the state of S3 at 6.5, but the run ends at 6")
	_, err = runError(text + "state S3 at 6.5")
	assert.EqualError(t, err, "test:6: expected the state of S3 at 6.5, but the run ends at 6")
}

// A failure can be expected, and a state that the run does not reach is none.
func TestExpectFailure(t *testing.T) {
	const text = "nodes 2\nalgorithm ricartagrawala\nlose REPLY\nat 0 S1 asks\nshow entries\n"
	for expect, instead := range map[string]string{
		"fails deadlock":  "",
		"fails exclusion": "the run fails: deadlock",
		"no failure":      "the run fails: deadlock",
		"order S1":        "it is that no node enters",
	} {
		_, err := runError(text + "expect " + expect)
		if instead == "" {
			assert.NoError(t, err, expect)
		} else {
			assert.EqualError(t, err, "test:6: expected "+expect+", but "+instead)
		}
	}
	const doubled = "nodes 3\nalgorithm ricartagrawala\ndouble REPLY S1->S3 #1 5\nlatency REQUEST S3->S2 30\nstay 30\nat 0 S3 asks\nat 1.5 S2 asks\nshow entries\n"
	_, err := runError(doubled + "expect fails exclusion\nexpect state S3 at 6 Phase = inside\nexpect state S2 at 40 Phase = idle")
	assert.EqualError(t, err, "test:11: expected state S2 at 40 Phase = idle, but the run fails at 30")
}

// The states of a run of choices are those of the same run without them.
func TestStateOfChoices(t *testing.T) {
	const text = "nodes 2\nalgorithm ricartagrawala\nshow entries\nstate S1 at 0\nstate S1 at 1\nstate S1 at 2\nstate S1 at end\n"
	want, err := runError(text + "at 0 S1 asks")
	assert.NoError(t, err)
	assert.Contains(t, want, "S1 at 1: Phase waiting, ")
	assert.Contains(t, want, "S1 at 2: Phase inside, ")
	got, err := runError(text + "stay 1\nrun a0.s3")
	assert.NoError(t, err)
	assert.Equal(t, want, got)
}

// Errors of the directives of faults, loads, topologies and sets.
func TestReadFurtherErrors(t *testing.T) {
	const begin = "nodes 3\nalgorithm maekawa\n"
	for text, want := range map[string]string{
		"expect":                            `3: expected a fact: a number and what it is of, "state", "order", "fails", "no failure" or "longest wait", found the end of the line`,
		"expect much":                       `3: expected a fact: a number`,
		"expect 3 rounds":                   `3: expected a kind of message, "messages", "entries", "bypasses" or "lost", found "rounds"`,
		"expect fails overflow":             `3: expected a failure: deadlock, endless, exclusion, invariant, panic, results, found "overflow"`,
		"expect state S2 at soon":           `3: expected "end", or a time, 0 to 1000000`,
		"expect state S2 at end Phase":      `3: expected "=", found the end of the line`,
		"expect order S4":                   `3: expected a node, S1 to S3, found "S4"`,
		"state S1 at 2\nstate S1 at 2":      `4: expected state S1 at 2 only once, but line 3`,
		"loss 0":                            `3: expected a probability such as 0.25, more than 0 and at most 1, found "0"`,
		"loss 1e-3":                         `3: expected a probability`,
		"duplication 1.5":                   `3: expected a probability`,
		"give 0.5":                          `3: expected "up", found "0.5"`,
		"give up 0.5 after x":               `3: expected a duration such as`,
		"low load 3 entries at S1":          `3: expected "random", found "S1"`,
		"high load 3 entries at random":     `3: expected nothing more, found "at"`,
		"high load 3 entries gap 3":         `3: expected nothing more, found "gap"`,
		"latency S1->S2 exp(2":              `found "exp(2"`,
		"stay exp(0)":                       `and more than 0, found "exp(0)"`,
		"patience 0":                        `and after 0, found "0"`,
		"at 3 S1 crashes and restarts at 3": `and after 3, found "3"`,
		"at 3 S1 crashes and asks":          `3: expected "restarts", found "asks"`,
		"topology round":                    `3: expected a topology: complete, line, ring, star, tree and the number of children, or grid and the number of columns, found "round"`,
		"topology tree 0":                   `3: expected a whole number, 1 to 1000, found "0"`,
		"topology grid 2":                   `3: expected a number of columns that divides the number of nodes, 3, found 2`,
		"topology ring\nlinks S1 = S2":      `4: expected one topology, but line 3 has it already`,
		"links S1 = S2\ntopology ring":      `4: expected one topology, but line 3 has links already`,
		"at 0 S1 asks\nlinks S1 = S2":       `4: expected "links" for each node, including S2, found the end`,
		"at 0 S1 asks\nlinks S2 = S1\nlinks S1 = S2\nlinks S3 = S1": `5: expected links by which every node reaches every other, but no path leads from S1 to S3`,
		"at 0 S1 asks\nlinks S2 = S1\nlinks S1 = S1\nlinks S3 = S1": `5: expected links by which every node reaches every other, but S1 has a link to itself`,
		"sets plane\nset S1 = S1":                                   `4: expected sets by name or a list of them, found both`,
		"set S1 = S1\nsets plane":                                   `4: expected sets by name or a list of them, found both`,
		// of the run
		"at 0 S1 asks\nsets circle":                                `4: no set "circle": the sets are folded, grid, majority, plane, reiser-13, reiser-4 and tree`,
		"at 0 S1 asks\nsets reiser-13":                             `4: these sets are for 13 nodes, not 3`,
		"at 0 S1 asks\ntimeouts 4":                                 `4: maekawa has no timeouts`,
		"at 0 S1 asks\nloss 0.000001":                              `4: expected a message to be lost at random, but none is`,
		"at 0 S1 asks\nlose LOCKED #1\nloss 0.000001":              `5: expected a message to be lost at random, but none is`,
		"at 0 S1 asks\ngive up 1":                                  `4: expected a request of a load to be given up, but none is`,
		"at 0 S1 asks\nat 2 S3 crashes and restarts at 9\nuntil 8": `4: expected S3 to restart at 9, but the run ends at 8`,
	} {
		_, err := runError(begin + text)
		assert.ErrorContains(t, err, "test:", text)
		assert.ErrorContains(t, err, want, text)
	}
}

// What the directives say is what the Config gets: their effects.
func TestFurtherDirectives(t *testing.T) {
	const ra = "nodes 3\nalgorithm ricartagrawala\nshow entries\n"
	for text, want := range map[string]string{
		ra + "low load 2 entries gap 3":                                                                    "S1 asks at 3, enters at 5, leaves at 6\nS2 asks at 9, enters at 11, leaves at 12\n",
		ra + "high load 2 entries think 3 by S2":                                                           "S2 asks at 0, enters at 2, leaves at 3\nS2 asks at 6, enters at 8, leaves at 9\n",
		ra + "low load 3 entries at random\nseed 1":                                                        "S3 asks at 0, enters at 2, leaves at 3\nS1 asks at 3, enters at 5, leaves at 6\nS3 asks at 6, enters at 8, leaves at 9\n",
		ra + "at 0 S1 asks\nloss 1":                                                                        "S1 asks at 0, still waits\n\nfails at 0: deadlock: a request is pending and no message is in transit: S1\n",
		ra + "high load 1 entries\nlatency 3\ngive up 1 after 1\nuntil 1":                                  "S1 asks at 0, gives up at 1\nS1 asks at 1, still waits\n",
		ra + "at 0 S1 asks\nat 4 S1 crashes and restarts at 9\nat 10 S1 asks":                              "S1 asks at 0, enters at 2, leaves at 3\nS1 asks at 10, enters at 12, leaves at 13\n",
		"nodes 3\nalgorithm central\ntopology tree 1\nholder S2\nat 0 S3 asks\nat 1 S1 asks\nshow entries": "S3 asks at 0, enters at 2, leaves at 3\nS1 asks at 1, enters at 5, leaves at 6\n",
	} {
		got, err := runError(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	got, err := runError("nodes 3\nalgorithm central\ntopology ring\nat 0 S3 asks\nexpect fails panic")
	assert.NoError(t, err)
	assert.Contains(t, got, "to which it has no link")
	_, err = runError(ra + "at 0 S1 asks\nduplication 0.000001\ndouble REPLY S2->S1 #1")
	assert.EqualError(t, err, "test:5: expected a message to be duplicated at random, but none is")
}

// Sets by name are those that lines list.
func TestNamedSets(t *testing.T) {
	for name, file := range map[string]string{"reiser-13": "maekawa", "reiser-4": "sanders-delays"} {
		s := read(t, strings.Replace(files, "*", file, 1))
		var without []string
		for line := range strings.Lines(s.Directives) {
			if !strings.HasPrefix(line, "set ") && !strings.HasPrefix(line, "inform ") {
				without = append(without, line)
			}
		}
		assert.Equal(t, s.Expected, runText(t, strings.Join(without, "")+"sets "+name), file)
	}
	_, err := parse(t, "nodes 2\nalgorithm central\nsets grid\nat 0 S1 asks").Run(io.Discard, lookup)
	assert.EqualError(t, err, "test:3: central takes no sets")
}
