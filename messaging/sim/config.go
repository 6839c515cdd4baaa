package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// T is the unit of time, the mean delay of a message: a million ticks, each of
// which is one time.Duration. Times are virtual and have nothing to do with clocks.
const T time.Duration = 1_000_000

// A Config says what is run. Algorithm, Nodes and Load are needed; the zero value
// of each other field is fine.
type Config struct {
	Algorithm messaging.Algorithm
	Nodes     int          // 1 to 2^31-1
	Holder    messaging.ID // [messaging.Start.Holder]

	// Load is who asks, and when: a [LowLoad], a [HighLoad] or a [Script].
	Load Load

	// Stay is how long a node is in the critical section, the lectures' E; not
	// set, it is T.
	Stay Distribution

	// Latency is how long a message takes; not set, it is T. Links are FIFO
	// unless Unordered is set: a message that would overtake another on its
	// link arrives at the same time as that one, and after it.
	Latency   Distribution
	Unordered bool

	// Except are messages for which Latency does not hold; of several that
	// match, the first does.
	Except []Exception

	// Entries is how many are made: no node asks any more when all that have
	// entered and all that wait make so many. Then the run goes on until
	// nothing is under way. 0 is no limit.
	Entries int

	// Until is when the run ends, whatever is under way. 0 is no limit.
	Until time.Duration

	// Perpetual says that the algorithm never comes to rest, like a token that
	// circulates for ever. The run then ends when no request is pending any
	// more, and low load does not wait for rest.
	Perpetual bool

	// Patience is how long a request may be pending, or messages and timers be
	// under way when none is and none will be made, before the run is given up as
	// a failure, "endless". 0 means 10,000,000 T.
	Patience time.Duration

	// GiveUp is the probability with which a request is given up if it still
	// waits after a time drawn from GiveUpAfter, which not set is uniform from 0
	// to 4 T. It does not concern scripts.
	GiveUp      float64
	GiveUpAfter Distribution

	// Loss and Duplication are the probabilities with which a message is lost,
	// or delivered twice, the second time with a latency of its own.
	Loss        float64
	Duplication float64

	// Crashes are the nodes that crash. Detection is how long each
	// [messaging.Survivor] takes to learn of it; not set, it never does.
	Crashes   []Crash
	Detection Distribution

	// Seed decides all that is drawn. Separate sequences serve the links, the
	// users, and the nodes, so that users do the same whatever the algorithm.
	Seed uint64

	// Observe is called with all that happens, in order; nil costs nothing.
	// [Trace] writes it down.
	Observe func(Event)

	// Order has the report list every entry, and Pairs has it keep the
	// synchronisation delays by who leaves and who enters.
	Order bool
	Pairs bool
}

// An Exception is a latency that holds for some messages: those of Kind that go
// from one of From to one of To. An empty Kind is all kinds, an empty From or To
// all nodes.
type Exception struct {
	Kind     string // as [messaging.Kind] has it: REQUEST
	From, To []messaging.ID

	Latency Distribution // not set: that of the Config
	Lose    bool         // they never arrive
}

// A Crash has a node stop for good, before anything else that happens at that time.
// What it has sent still arrives; what is sent to it is lost, and its timers are. If
// it was inside, it never leaves, and whoever enters then violates nothing. A second
// crash of a node changes nothing.
type Crash struct {
	Node messaging.ID
	At   time.Duration
}

// longest is the longest time that a Config may name: enough for anybody, and
// sums of a thousand do not overflow.
const longest = time.Duration(1 << 52)

// check returns what is wrong with the config, after it has filled in what is
// not set.
func (c *Config) check() error {
	if c.Algorithm == nil {
		return errors.New("Config.Algorithm is nil: a run needs an algorithm")
	}
	if c.Nodes < 1 || c.Nodes > 1<<31-1 {
		return fmt.Errorf("Config.Nodes is %d: it must be 1 to 2^31-1", c.Nodes)
	}
	if c.Load == nil {
		return errors.New("Config.Load is nil: a run needs a workload")
	}
	c.fill()
	return first(
		c.checkNode("Config.Holder", c.Holder),
		c.Load.check(c),
		c.checkNumbers(),
		c.checkDistributions(),
		c.checkExceptions(),
		c.checkCrashes(),
	)
}

func (c *Config) fill() {
	c.Stay = c.Stay.or(Constant(T))
	c.Latency = c.Latency.or(Constant(T))
	c.GiveUpAfter = c.GiveUpAfter.or(Uniform(0, 4*T))
	if c.Patience == 0 {
		c.Patience = 10_000_000 * T
	}
}

func (c *Config) checkNumbers() error {
	if c.Entries < 0 {
		return fmt.Errorf("Config.Entries is %d: it must be at least 0", c.Entries)
	}
	return first(
		checkTime("Config.Until", c.Until),
		checkTime("Config.Patience", c.Patience),
		checkProbability("Config.GiveUp", c.GiveUp),
		checkProbability("Config.Loss", c.Loss),
		checkProbability("Config.Duplication", c.Duplication),
	)
}

func (c *Config) checkDistributions() error {
	return first(
		c.Stay.check("Config.Stay"),
		c.Latency.check("Config.Latency"),
		c.GiveUpAfter.check("Config.GiveUpAfter"),
		c.Detection.check("Config.Detection"),
	)
}

func (c *Config) checkExceptions() error {
	for k, e := range c.Except {
		field := fmt.Sprintf("Config.Except[%d]", k)
		if e.Kind != strings.ToUpper(e.Kind) {
			return fmt.Errorf("%s.Kind is %q: a kind is in upper case", field, e.Kind)
		}
		if err := first(
			c.checkNodes(field+".From", e.From),
			c.checkNodes(field+".To", e.To),
			e.Latency.check(field+".Latency"),
		); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkCrashes() error {
	for k, crash := range c.Crashes {
		field := fmt.Sprintf("Config.Crashes[%d]", k)
		if err := first(
			c.checkNode(field+".Node", crash.Node),
			checkTime(field+".At", crash.At),
		); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkNode(field string, id messaging.ID) error {
	if id < 0 || int(id) >= c.Nodes {
		return fmt.Errorf("%s is %d: the nodes are 0 to %d", field, id, c.Nodes-1)
	}
	return nil
}

func (c *Config) checkNodes(field string, ids []messaging.ID) error {
	for k, id := range ids {
		if err := c.checkNode(fmt.Sprintf("%s[%d]", field, k), id); err != nil {
			return err
		}
	}
	return nil
}

func checkTime(field string, d time.Duration) error {
	if d < 0 || d > longest {
		return fmt.Errorf("%s is %s T: it must be 0 to %s T", field, inT(d), inT(longest))
	}
	return nil
}

func checkProbability(field string, p float64) error {
	if !(p >= 0 && p <= 1) { // written so that NaN is refused
		return fmt.Errorf("%s is %v: a probability is 0 to 1", field, p)
	}
	return nil
}

func first(errs ...error) error {
	if k := slices.IndexFunc(errs, func(err error) bool { return err != nil }); k >= 0 {
		return errs[k]
	}
	return nil
}
