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
