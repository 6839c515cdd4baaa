package sim

import (
	"fmt"
	"io"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// A Setting is what a scenario says about its algorithm. Node S1 is number 0.
type Setting struct {
	Algorithm string
	Nodes     int
	Holder    messaging.ID

	// Request and Inform are whom a node asks and tells, by node and as given.
	// Each is nil or has a set of different nodes for every node.
	Request, Inform [][]messaging.ID
}

// A Scenario is a text file that says who asks for the critical section when, and
// what comes of it. It is an example to follow by hand, like those of a lecture, and
// a test at the same time. ([ReadScenario] reads one.)
//
//	# Two nodes ask at the same time, and the smaller number goes first.
//	nodes 3
//	algorithm ricartagrawala
//	at 0 S1 asks
//	at 0 S3 asks
//	----
//	S1 asks at 0, enters at 2, leaves at 3
//	S3 asks at 0, enters at 4, leaves at 5
//
//	8 messages, 4 per entry
//	     4 REQUEST
//	     4 REPLY
//
// The package knows no algorithm: [Scenario.Run] is handed a function that looks them
// up. (The form of the files is that of cockroachdb's datadriven and of
// the tests of etcd's raft.)
//
// # Directives
//
// There is one directive a line. They may come in any order, but nodes is the
// first. A # begins a comment. A line of four dashes ends the directives; what
// follows is the output that is expected. Without that line nothing is.
//
// Who takes part:
//
//	nodes 13                       how many nodes there are, 1 to 1000: S1 to S13
//	algorithm maekawa              its name, as the function given to Run knows it
//	holder S2                      who has the privilege at first; not given: S1
//	set S1 = S1 S2 S3              whom S1 asks, in algorithms that leave it open
//	inform S1 = S1                 whom S1 tells that it has left, likewise
//
// Whoever gives a set for one node gives one for each.
//
// How long messages take, and which are lost:
//
//	latency 1                      all messages; not given: 1
//	latency REQUEST S7->S13 3      messages of one kind from one node to another
//	latency S1->* 2                all kinds, from S1 to anybody
//	latency RELEASE 5              all messages of this kind
//	lose REPLY S1->S2              these never arrive; kind and nodes as above
//	unordered                      messages of one link may overtake each other; not given, one
//	                               that would arrives together with the one in front of it
//
// Of several lines that hold for a message, the first counts.
//
// Who asks, either one by one:
//
//	at 0 S7 asks
//	at 0.5 S8 asks and stays 3     inside, instead of what stay says
//	at 2 S9 asks and gives up at 4 unless it is inside before
//
// or all the time, in which case the number is 1 to 10000:
//
//	low load 100 entries           one after the other asks, when nothing is under way
//	high load 130 entries by S1 S2 each asks at 0, and again when it has left; not given: all
//
// A node that asks while a request of its own is not over asks when that is over, and
// not at all if it would have given up by then.
//
// And otherwise:
//
//	stay 10                        how long one is inside; not given: 1
//	at 5 S3 crashes                and does nothing any more, not even at 5
//	detect 2                       how long after a crash the others are told; not given: never
//	seed 7                         decides all that is drawn, 0 to 2^64-1; not given: 0
//	until 50                       when the run ends; not given: when nothing is under way
//	show entries messages          see below
//
// Times and durations are in T, the mean delay of a message: 0 to 1000000, with at
// most six digits after the point. How long one is inside is more than 0. Instead
// of a duration, latency, stay and detect may have a range, 1..3, from which each
// is drawn with the same probability.
//
// What happens at the same time happens one after the other, in the order in which
// it was settled that it would, as the package says under Time. Crashes come first. A first
// request, settled when the run begins, comes before a message that arrives; a
// message comes before one sent after it; and a node that asks again after an exit
// does so after what was under way by then. First requests, also those of a high
// load, come in the order of the nodes, not of the lines (but for "by S2 S1").
//
// # What comes to nothing
//
// A line that has no effect on the run is an error, for most likely it is not
// what was meant:
//
//   - a latency or loss that counts for no message that is sent, because none is
//     like that or because an earlier line counts for all of them;
//   - a request that is never made: its node has crashed, it would have given up
//     before its node is free to ask, or the run ends first; and a load that makes
//     fewer entries than it says, though the run goes on, because nodes crash;
//   - a crash that does not happen before the run ends;
//   - detect, if no node is told of a crash;
//   - holder, if the run is the same without the line, where S1 is the holder; of a
//     line that names S1, if the run is the same with S2.
//
// How the algorithm fails is told first. If it lets two nodes inside, panics or does
// not end, the run stops there, and of the above only a latency or loss is an error.
//
// # Output
//
// After show come one or more of these, which are printed in this order, whatever
// the order there; not given, it is entries and messages:
//
//	events        all that happens, as [Trace] has it
//	entries       a line for each request: first those that enter, in that order
//	messages      how many were sent, by kind, in the order in which the kinds occur
//	delays        the synchronisation delays, by who leaves (rows) and who enters (columns)
//	report        all that was measured
//	from 40       leaves out of the first three what was asked, sent or happened before 40
//
// A node never sends itself a message that counts. If the run fails, the last line
// says how: the algorithm deadlocks, lets two nodes inside, or panics. That too is an
// output that can be expected.
type Scenario struct {
	// Directives are the text up to the line of dashes. Directives + "----\n" + output
	// is the text of a file that expects that output.
	Directives string

	// Expected is the output that the file expects, if it Expects any. Blank lines at
	// its end do not matter, and are left out.
	Expected string
	Expects  bool

	name     string
	setting  Setting
	config   Config
	given    map[string]int // the line in which each thing was given
	asking   int            // the line of the load, or of the last request
	sections []string
	from     time.Duration
}

// A lookup makes the algorithm of a scenario.
type lookup = func(Setting) (messaging.Algorithm, error)

// ReadScenario reads a scenario up to the end of r. The error, if there is one, begins
// with name and the number of the line, and says what was expected there. Lines may
// end as on any system.
func ReadScenario(name string, r io.Reader) (*Scenario, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Scenario{name: name}
	s.split(normal(string(text)))
	if err := newParser(s).parse(); err != nil {
		return nil, err
	}
	return s, nil
}

// normal returns the text without what editors of some systems put there, and with
// the end of the last line, which some leave out.
func normal(text string) string {
	const byteOrderMark = "\ufeff"
	text = strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

const dashes = "----"

// split cuts the text at the line of dashes.
func (s *Scenario) split(text string) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == dashes {
			s.Expects, s.Expected = true, withoutBlankEnd(text[len(s.Directives)+len(line):])
			return
		}
		s.Directives = text[:len(s.Directives)+len(line)]
	}
}

// withoutBlankEnd returns the text without blank lines at its end.
func withoutBlankEnd(text string) string {
	end := len(strings.TrimRight(text, " \t\n"))
	if end == 0 {
		return ""
	}
	line, _, _ := strings.Cut(text[end:], "\n")
	return text[:end] + line + "\n"
}

// Run runs the scenario, writes what it shows to w, and returns what was measured,
// Report.Order and Report.Pairs included. It blocks until the run ends, which it
// does after a million events at the latest.
//
// The lookup makes the algorithm that the scenario names. It returns an error if it
// does not know the name, or if the sets do not suit the algorithm, and also if there
// are sets where the algorithm has no use for them.
//
// That an algorithm fails is an output, and no error. There is an error if lookup
// returns one; if a line has no effect; if the run has too many events, or times
// that add up to more than a [time.Duration] holds; or if w does. The output is then
// written nevertheless if it shows that the algorithm fails.
func (s *Scenario) Run(w io.Writer, lookup func(Setting) (messaging.Algorithm, error)) (Report, error) {
	algorithm, err := s.algorithmFor(lookup, s.setting.Holder)
	if err != nil {
		return Report{}, err
	}
	o := newObserver(s)
	report, err := o.run(algorithm, s.setting.Holder)
	failure, other := o.failure(report, err)
	if other != nil {
		return report, other
	}
	idle := o.withoutEffect(report, err, lookup)
	if failure != "" || idle == nil {
		if _, err := io.WriteString(w, o.output(report, failure)); err != nil {
			return report, err
		}
	}
	return report, idle
}

func (s *Scenario) errorAt(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", s.name, line, err)
}
