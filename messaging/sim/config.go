package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// T is the unit of time, the mean delay of a message: a million ticks, each of which
// is one time.Duration. Times are virtual and unrelated to the wall clock.
const T time.Duration = notation.T

// A Config describes a run. Algorithm and Nodes are required, and Load or Inputs if [Run] is
// to run locks; the zero value of each other field is a useful default.
type Config struct {
	Algorithm messaging.Algorithm
	Name      string       // of the algorithm, in the text of a run; default: that of its package
	Nodes     int          // 1 to 2^31-1
	Holder    messaging.ID // [messaging.Start.Holder]

	// Load determines which nodes ask, and when: a [LowLoad], a [HighLoad] or a
	// [Script]. It may be nil in a run that [Start] begins, in which only its caller has
	// nodes ask, if there are Inputs, and if the nodes are no [messaging.Exclusion].
	Load Load

	// Inputs are what users give their nodes, those of a node in the order of At.
	Inputs []Input

	// Stay is how long a node stays in the critical section, the lectures' E.
	// Default: T; without a Load, until the caller has it leave.
	Stay Distribution

	// Latency is how long a message takes. Default: T. Links are FIFO unless
	// Unordered is set: a message that would overtake another on its link arrives at
	// the same time as that one, and after it.
	Latency   Distribution
	Unordered bool

	// Pace is how long a timer of T runs, by node; nil: T. More is a slow clock: that is
	// all that a node knows of time.
	Pace []time.Duration

	// Except lists messages with another latency. The first exception that matches a
	// message applies.
	Except []Exception

	// Entries limits the run: nodes stop asking once the entries made and the
	// requests pending add up to it. The run then goes on until no request is pending
	// and nothing is in transit. 0 is no limit.
	Entries int

	// Until ends the run at that time, whatever is in transit. 0 is no limit.
	Until time.Duration

	// Perpetual marks an algorithm that never comes to rest, such as one with a token
	// that circulates forever. The run then ends when no request is pending and none
	// will be made, and low load does not wait for rest. Nodes that are no
	// [messaging.Exclusion] run until Until.
	Perpetual bool

	// Patience bounds how long a request may be pending, and how long messages and
	// timers may go on when no request is pending and none will be made. A run that
	// exceeds it fails as "endless". Default: 10,000,000 T.
	Patience time.Duration

	// GiveUp is the probability that a request is given up if it still waits after a
	// time drawn from GiveUpAfter (default: uniform from 0 to 4 T). Scripts ignore
	// both.
	GiveUp      float64
	GiveUpAfter Distribution

	// Loss and Duplication are the probabilities that a message is lost, or delivered
	// twice, the second time with a latency of its own.
	Loss        float64
	Duplication float64

	// Crashes lists the nodes that crash. Detection is how long each
	// [messaging.Survivor] takes to learn of a crash, if the node is still down then;
	// and, when it has started again, to learn which nodes are down. If it is not set,
	// none ever does.
	Crashes   []Crash
	Detection Distribution

	// Seed determines all random choices. Links, users and nodes draw from separate
	// sequences, so that users behave the same whatever the algorithm.
	Seed uint64

	// Observe is called with each event, in order. It may be nil, which costs
	// nothing. [Trace] returns a function that writes each event as a line.
	Observe func(messaging.Event)

	// Invariant, if not nil, is held in each state; see [messaging.Invariant]. A run that
	// violates it fails.
	Invariant messaging.Invariant

	// Results, if not nil, is held when a node has emitted something, and when nothing is
	// left to do; see [messaging.Results]. A run that violates it fails.
	Results messaging.Results

	// Order has the report list every entry; Pairs has it keep the synchronization
	// delays by the node that leaves and the node that enters.
	Order bool
	Pairs bool
}

// An Exception is a latency for some messages: those of Kind sent from one of From to
// one of To. An empty Kind matches all kinds, an empty From or To all nodes.
type Exception struct {
	Kind     string // as [messaging.Kind] returns it: REQUEST
	From, To []messaging.ID

	// Ordinal is the one message meant: 2 is the second that the fields above match,
	// in the order of sending, also if it is lost. 0 is all of them.
	Ordinal int

	Latency Distribution // default: that of the Config
	Lose    bool         // these messages never arrive
	Double  bool         // these messages arrive twice; Latency is that of the second copy
}

// A Crash stops a node, before all other events at that time. Messages that it sent
// still arrive; messages that arrive while it is down are lost, and its timers never
// fire. If it was inside, it never leaves, and the next node that enters violates
// nothing. A crash of a node that is down has no effect.
//
// At Restart it starts again, with what is durable only; see [messaging.Start]. Its
// user has no request then. In a HighLoad it asks again after its think time; of a Script, the
// requests that are due later are made.
type Crash struct {
	Node    messaging.ID
	At      time.Duration
	Restart time.Duration // later than At; 0: never
}

const defaultPatience = 10_000_000 * T

// longest is the longest time that a Config may name. Sums of a thousand do not
// overflow.
const longest = time.Duration(1 << 52)

// check fills in the defaults and returns the first error in the config.
func (c *Config) check() error {
	if err := cmp.Or(
		refuseIf(c.Algorithm == nil, "Config.Algorithm is nil: a run needs an algorithm"),
		refuseIf(c.Nodes < 1 || c.Nodes > 1<<31-1, "Config.Nodes is %d: it must be 1 to 2^31-1", c.Nodes),
	); err != nil {
		return err
	}
	c.fill()
	return cmp.Or(
		c.checkNode("Config.Holder", c.Holder),
		c.checkLoad(),
		each("Config.Inputs", c.Inputs, c.checkInput),
		atLeastZero("Config.Entries", c.Entries),
		checkTime("Config.Until", c.Until),
		checkTime("Config.Patience", c.Patience),
		checkProbability("Config.GiveUp", c.GiveUp),
		checkProbability("Config.Loss", c.Loss),
		checkProbability("Config.Duplication", c.Duplication),
		c.Stay.check("Config.Stay"),
		c.Latency.check("Config.Latency"),
		c.GiveUpAfter.check("Config.GiveUpAfter"),
		c.Detection.check("Config.Detection"),
		refuseIf(c.Pace != nil && len(c.Pace) != c.Nodes,
			"Config.Pace is that of %d nodes: there are %d", len(c.Pace), c.Nodes),
		each("Config.Pace", c.Pace, func(field string, d time.Duration) error {
			return refuseIf(d <= 0 || d > longest,
				"%s is %s T: it must be more than 0, and at most %s T", field, inT(d), inT(longest))
		}),
		each("Config.Except", c.Except, c.checkException),
		each("Config.Crashes", c.Crashes, c.checkCrash),
	)
}

func (c *Config) fill() {
	if c.Load != nil {
		c.Stay = c.Stay.or(Constant(T))
	}
	c.Latency = c.Latency.or(Constant(T))
	c.GiveUpAfter = c.GiveUpAfter.or(Uniform(0, 4*T))
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	if len(c.Pace) == c.Nodes && !slices.ContainsFunc(c.Pace, func(d time.Duration) bool { return d != T }) {
		c.Pace = nil
	}
}

func (c *Config) checkLoad() error {
	if c.Load == nil {
		return nil
	}
	return c.Load.check(c)
}

func (c *Config) checkException(field string, e Exception) error {
	return cmp.Or(
		refuseIf(e.Kind != strings.ToUpper(e.Kind), "%s.Kind is %q: a kind is in upper case", field, e.Kind),
		refuseIf(e.Lose && e.Double, "%s has Lose and Double: a message is lost or arrives twice", field),
		atLeastZero(field+".Ordinal", e.Ordinal),
		each(field+".From", e.From, c.checkNode),
		each(field+".To", e.To, c.checkNode),
		e.Latency.check(field+".Latency"),
	)
}

func (c *Config) checkCrash(field string, crash Crash) error {
	return cmp.Or(
		c.checkNode(field+".Node", crash.Node),
		checkTime(field+".At", crash.At),
		checkTime(field+".Restart", crash.Restart),
		checkLater(field, "Restart", crash.Restart, crash.At),
	)
}

func (c *Config) checkNode(field string, id messaging.ID) error {
	return refuseIf(id < 0 || int(id) >= c.Nodes, "%s is %d: the nodes are 0 to %d", field, id, c.Nodes-1)
}

func atLeastZero(field string, n int) error {
	return refuseIf(n < 0, "%s is %d: it must be at least 0", field, n)
}

func checkTime(field string, d time.Duration) error {
	return refuseIf(d < 0 || d > longest, "%s is %s T: it must be 0 to %s T", field, inT(d), inT(longest))
}

// checkLater checks a time that is 0 or must be later than that of the field At.
func checkLater(field, name string, d, at time.Duration) error {
	return refuseIf(d != 0 && d <= at,
		"%s.%s is %s T, and At is %s T: %s must be later than At", field, name, inT(d), inT(at), name)
}

func checkProbability(field string, p float64) error {
	return refuseIf(!(p >= 0 && p <= 1), "%s is %v: a probability is 0 to 1", field, p) // NaN, too
}

// each returns the first error of the elements of a field.
func each[E any](field string, all []E, check func(field string, e E) error) error {
	for k, e := range all {
		if err := check(fmt.Sprintf("%s[%d]", field, k), e); err != nil {
			return err
		}
	}
	return nil
}

func refuseIf(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}
