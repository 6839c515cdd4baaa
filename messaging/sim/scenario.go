package sim

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// A Setting is what a scenario specifies about its algorithm. Node S1 is number 0. Its slices
// must not be changed.
type Setting struct {
	Algorithm string
	Nodes     int
	Holder    messaging.ID

	// Request and Inform are the sets that each node asks and informs, indexed by
	// node, in the order of the file. Each is nil, or has a set of different nodes
	// for every node.
	Request, Inform [][]messaging.ID

	// Sets is the name of such sets, if the file has one in their place.
	Sets string

	// Timeouts is how long messages take for which the timeouts of the algorithm should
	// be; 0: not given.
	Timeouts time.Duration

	// Links has for each node those to which it has links, or is nil. [Scenario.Run] puts
	// the algorithm on them, as [messaging.On] does.
	Links [][]messaging.ID
}

// A Scenario is a text file that specifies the requests of a run and its expected
// output: an example to follow by hand, like those of a lecture, and a test.
// [ReadScenario] reads one.
//
//	# Two nodes ask at the same time; the one with the smaller number enters first.
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
// The package knows no algorithm: the caller of [Scenario.Run] passes a function that
// looks them up. (The form of the files is that of cockroachdb's datadriven and of
// the tests of etcd's raft.)
//
// # Directives
//
// Each line has one directive, or several with semicolons between them. nodes comes first,
// the others in any order. A # begins a comment, unless it is that of an ordinal, #2. A line of four dashes ends the directives; the expected output follows.
// Without that line, no output is expected.
//
// The nodes and the algorithm:
//
//	nodes 13                       the number of nodes, 1 to 1000: S1 to S13
//	algorithm maekawa              its name, as the function given to Run knows it
//	holder S2                      the first holder of the privilege; default: S1
//	set S1 = S1 S2 S3              the nodes that S1 asks, for algorithms that take sets; of one on a
//	                               ring its successor, of one in a tree its father
//	inform S1 = S1                 the nodes that S1 informs, likewise
//	sets reiser-13                 all of these by name, as the function given to Run knows them
//	timeouts 5                     the time that messages take for which the timeouts are, of an
//	                               algorithm that has some
//	topology ring                  the links that there are: complete, line, star, ring in one direction, tree 2 with at
//	                               most two children a node, or grid 3 with three columns, as package
//	                               topology has them; default: those that the algorithm chooses
//	links S1 = S2 S3               the nodes to which S1 has links, instead of a name
//
// A file that has a set or links for one node has them for each.
//
// The latency, loss and duplication of messages:
//
//	latency 1                      of all messages; default: 1
//	latency REQUEST S7->S13 3      of messages of one kind from one node to another
//	latency S1->* 2                of all kinds, from S1 to any node
//	latency RELEASE 5              of all messages of this kind
//	lose REPLY S1->S2              these never arrive; kind and nodes as above
//	double REPLY S2->S1            these arrive twice
//	double REPLY S2->S1 5          the second copy takes 5
//	clock S1 7                     the logical clock of S1 in the beginning, instead of 0
//	pace S2 1.25                   timers of S2 run 1.25 times as long as they should
//	latency REQUEST S3->S2 #2 30   of one message: the second such that is sent, also if it is lost;
//	                               likewise lose REQUEST S3->S2 #2 and double
//	loss 0.1                       the probability that a message is lost
//	duplication 0.1                the probability that it arrives twice
//	unordered                      messages may overtake each other on a link; default: one that
//	                               would arrives together with the message in front of it
//
// If several lines match a message, the first applies.
//
// The requests, either one by one:
//
//	at 0 S7 asks
//	at 0.5 S8 asks and stays 3     inside, instead of the time that stay gives
//	at 2 S9 asks and gives up at 4 unless it has entered before
//
// or a load, of 1 to 10000 entries:
//
//	low load 100 entries           one node after the other asks, when nothing is in transit
//	high load 130 entries by S1 S2 each asks at 0 and again after its exit; default: all nodes
//	low load 100 entries at random gap 0..2   the next is drawn, after a pause, each of which may
//	                               be omitted
//	high load 130 entries think 5  a pause after each exit
//	give up 0.25 after 0..4        the probability that a request of a load is given up, and after
//	                               which time; default: 0..4
//
// Inputs of users, of nodes that are no locks or do more:
//
//	at 0 S5 gets ELECT             a message of the algorithm, with its fields as events show
//	                               them: ADD(Amount:100)
//
// A request that is due while an earlier one of its node is not over is made when that
// is over, or dropped if it would have been given up by then.
//
// Or choice by choice, as [Simulation.Do] describes them:
//
//	run a0.a2.s5.d15               these choices; the run stops after the last
//	rules 5f3a9c21                 a checksum of the algorithm with which they were made; with
//	                               another the run is an error
//	version 1                      of these directives
//
// A node that then has no stay stays inside until a choice has it leave.
// [Simulation.MarshalText] writes these lines.
//
// Also:
//
//	stay 10                        the time in the critical section; default: 1
//	at 5 S3 crashes                before all other events at 5; once a node
//	at 5 S3 crashes and restarts at 9 as [Crash] says
//	detect 2                       how long the others take to learn of a crash; default: never
//	seed 7                         of all random choices, 0 to 2^64-1; default: 0
//	until 50                       ends the run; default: when nothing is left to do
//	patience 100                   how long a request may wait before the run fails as endless
//	perpetual                      an algorithm that never comes to rest; see [Config.Perpetual]
//	show entries messages          see below
//	state S2 at 4                  shows the phase of a node and its fields after all events at 4, or
//	                               "at end"; there may be several such lines
//
// Single facts, which a run must meet whether or not it has an expected output:
//
//	expect order S1 S3 S2          the nodes that enter, one for each entry
//	expect 6 REQUEST               as many messages of a kind are sent
//	expect 3 entries               or messages, bypasses, lost
//	expect longest wait 6          of the requests that enter
//	expect state S2 at end Phase = idle   a field as state shows it
//	expect fails exclusion         or deadlock, endless, invariant, panic, results, as [Failure]
//	                               names them
//	expect no failure
//
// An unmet expectation is an error of Run that says what is instead, after the output.
//
// Times and durations are in T, the mean delay of a message: 0 to 1000000, with at
// most six digits after the point. A stay is more than 0. latency, stay, detect, gap, think
// and give up also take a range, 1..3, from which each duration is drawn uniformly, and
// exp(2), the exponential distribution with that mean.
//
// Events at the same time occur in the order in which they were scheduled, as the
// package comment says under Time: crashes, then first requests in the order of the
// nodes (with "by S2 S1", in that order), not of the lines; then messages in the order in
// which they were sent, and the next request of a node after whatever was in transit
// when it left.
//
// # Lines without effect
//
// A line that has no effect on the run is an error, because it is probably a mistake:
//
//   - a latency, loss or duplication that applies to no message, because none matches, too
//     few do for its ordinal, or earlier lines apply to all that match;
//   - a request that is never made: its node has crashed, it would have been given up
//     before its node is free to ask, or the run ends first; and a load that makes
//     fewer entries than it specifies because nodes crash, not because of until;
//   - an input to a node that has crashed, or after the end of the run;
//   - a crash, a restart or a state after the end of the run;
//   - loss, duplication or give up, if it happens to no message or request;
//   - detect, if no node learns of a crash;
//   - pace, if no timer of the node expires; clock, if the node has none.
//
// A failure of the algorithm comes first. If two nodes are inside, its invariant is violated,
// a node panics or the run does not end, the run stops there, and only a
// latency, loss or duplication can be without effect.
//
// # Output
//
// show takes one or more of these, which are printed in this order; default: entries
// and messages:
//
//	events        all events, as Trace writes them
//	entries       a line for each request: first those that enter, in that order
//	emits         a line for each result that a node emits
//	messages      how many were sent, by kind, in the order in which the kinds occur
//	delays        mean synchronization delays: rows are nodes that leave, columns nodes that enter
//	report        all measures
//	from 40       omits from the first four what was asked, emitted, sent or happened before 40
//
// The lines of state follow. A node's messages to itself do not count. If the run fails, the last line says how: a
// deadlock, two nodes inside, a violated invariant, a panic, or no end. A failure can be expected output too.
type Scenario struct {
	// Directives is the text before the line of dashes. Directives + "----\n" +
	// output is the text of a file that expects that output.
	Directives string

	// Expected is the expected output, if Expects is set. Blank lines at its end do
	// not matter and are omitted.
	Expected string
	Expects  bool

	// From is the time before which show omits what happens.
	From time.Duration

	// Observe is called with each event of [Scenario.Run], in order; see
	// [Config.Observe]. It may be nil.
	Observe func(messaging.Event)

	// Invariant is that of the algorithm, [Config.Invariant]. The function given to
	// [Scenario.Run] or [Scenario.Start] may set it. It may be nil.
	Invariant messaging.Invariant

	// Results are those of the algorithm, likewise; see [Config.Results].
	Results messaging.Results

	// Kinds are the kinds of messages of the algorithm, of which the inputs are. The function
	// given to Run or Start must set them if there are inputs.
	Kinds []messaging.Message

	name     string
	lasting  []string // the directives but for those that depend on choices
	setting  Setting
	config   Config
	given    map[string]int // the line of each directive
	asking   int            // the line of the load, or of the last request
	firstSet int            // the first line that has sets; 0: none
	sections []string
	scenes   []scene // states to be shown, or that are expected
	inputs   []written

	clocks  map[messaging.ID]uint64 // with which nodes begin; others with 0
	clocked messaging.Set           // those that have clocks

	expectations []expectation

	checksum string // of the rules of the algorithm; "": not given
	choices  string // of the directive run
}

// A lookup returns the algorithm of a scenario.
type lookup = func(Setting) (messaging.Algorithm, error)

// ReadScenario reads a scenario up to the end of r. An error begins with name and the
// line number, and says what was expected there. Lines may end with LF or CR LF.
func ReadScenario(name string, r io.Reader) (*Scenario, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Scenario{name: name}
	s.split(string(text))
	if err := newParser(s).parse(); err != nil {
		return nil, err
	}
	return s, nil
}

const (
	dashes        = "----"
	byteOrderMark = "\ufeff"
)

// split cuts the text at the line of dashes. It removes a byte order mark, carriage returns and blank lines at
// the end of what is expected.
func (s *Scenario) split(text string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != dashes {
			s.Directives = text[:len(s.Directives)+len(line)]
			continue
		}
		s.Expects, s.Expected = true, text[len(s.Directives)+len(line):]
		if strings.TrimSpace(s.Expected) == "" {
			s.Expected = ""
		}
		s.Expected = blankEnd.ReplaceAllString(s.Expected, "\n")
		return
	}
}

var blankEnd = regexp.MustCompile(`\n[ \t\n]*$`)

// Run runs the scenario, writes its output to w, and returns what was measured,
// Report.Order and Report.Pairs included. It blocks until the run ends, after a
// million events at the latest.
//
// The lookup returns the algorithm that the scenario names. It returns an error if it
// does not know the name, if the sets do not suit the algorithm, or if there are sets
// and the algorithm takes none.
//
// A failure of the algorithm is output, not an error. Run returns an error if lookup
// does, if a line has no effect, if an expectation is not met, if the run has too many events
// or times that add up to more than a [time.Duration] holds, or if w fails. The output is
// written nevertheless if the algorithm fails or an expectation is not met.
func (s *Scenario) Run(w io.Writer, lookup func(Setting) (messaging.Algorithm, error)) (Report, error) {
	algorithm, err := s.algorithmFor(lookup)
	if err == nil {
		err = s.checkRules(algorithm)
	}
	if err != nil {
		return Report{}, err
	}
	o, err := s.run(algorithm)
	if err != nil {
		return o.report, err
	}
	unused := o.withoutEffect()
	if o.err != nil || unused == nil {
		if _, err := io.WriteString(w, o.output()); err != nil {
			return o.report, err
		}
	}
	return o.report, cmp.Or(unused, o.unmet())
}

// Start begins the run of the scenario as a [Simulation], and makes its choices, if it has
// any. The lookup is that of Run.
//
// If a choice cannot be made, the error gives the line, the choice, its place and what could
// have been instead; if the checksum of the rules is another, it says so. In both cases Start
// returns the run up to there as well.
func (s *Scenario) Start(lookup func(Setting) (messaging.Algorithm, error)) (*Simulation, error) {
	algorithm, err := s.algorithmFor(lookup)
	if err != nil {
		return nil, err
	}
	r, err := Start(s.configOf(algorithm))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	r.directives = strings.Join(s.lasting, "; ")
	changed := s.checkRules(algorithm)
	if changed == nil {
		r.rules = s.checksum
	}
	if err := r.do(s.choices); err != nil {
		return r, cmp.Or(changed, s.errorAt(s.given["run"], err))
	}
	return r, changed
}

func (s *Scenario) errorAt(line int, err error) error {
	return &notation.LineError{File: s.name, Line: line, Err: err}
}
