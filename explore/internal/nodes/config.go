// Package nodes visits every schedule of nodes: it finds the states of all nodes, links
// and users together, and what holds in them and in their infinite runs.
//
// A state is a [cell] number of each node, and how many faults may still happen: cells
// are few, so that what can happen in one is computed once. The states themselves are in
// a [space.Space].
package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A Config is an explore.NodesConfig.
type Config struct {
	New  messaging.Algorithm
	Name string

	Nodes    int
	Holder   messaging.ID
	Rounds   int
	Requests []int

	UnboundedWithin int64

	Inputs    [][]messaging.Message
	Unordered bool
	AnyTime   bool
	Early     int
	Perpetual bool

	Withdrawals int
	Crashes     int
	CrashOf     []messaging.ID
	CrashIn     []messaging.Phase
	Restarts    int
	Detected    bool
	Suspicions  int
	Losses      int
	Duplicates  int

	Invariant messaging.Invariant
	Results   messaging.Results

	SafetyOnly bool

	Memory   int64
	Workers  int
	Progress func(doing string, states int, bytes int64)
	Context  context.Context
}

// Unbounded is the Rounds of users that request any number of times.
const Unbounded = -1

// complete checks c, and sets what is not set.
func (c *Config) complete() error {
	if err := cmp.Or(c.checkNodes(), c.checkUsers(), c.checkCrashes(), c.checkLimits()); err != nil {
		return err
	}
	if c.Requests == nil {
		c.Requests = slices.Repeat([]int{cmp.Or(c.Rounds, 1)}, c.Nodes)
	}
	c.Memory = cmp.Or(c.Memory, 4<<30)
	c.Workers = cmp.Or(c.Workers, min(2, runtime.GOMAXPROCS(0)))
	if c.Invariant != nil || c.Results != nil {
		c.Workers = 1 // they are called from one goroutine
	}
	return nil
}

func (c *Config) checkNodes() error {
	switch {
	case c.New == nil:
		return errors.New("NodesConfig.New is nil")
	case c.Nodes < 1 || c.Nodes > mostNodes:
		return fmt.Errorf("NodesConfig.Nodes is %d: it must be 1 to %d", c.Nodes, mostNodes)
	case c.Holder < 0 || int(c.Holder) >= c.Nodes:
		return fmt.Errorf("NodesConfig.Holder is %d: the nodes are 0 to %d", c.Holder, c.Nodes-1)
	}
	return nil
}

// checkUsers checks what users do.
func (c *Config) checkUsers() error {
	switch {
	case c.Rounds < Unbounded:
		return fmt.Errorf("NodesConfig.Rounds is %d: it must be at least 0, or Unbounded", c.Rounds)
	case c.Requests != nil && len(c.Requests) != c.Nodes:
		return fmt.Errorf("NodesConfig.Requests has length %d: NodesConfig.Nodes is %d", len(c.Requests), c.Nodes)
	case c.Requests != nil && c.Rounds != 0:
		return errors.New("NodesConfig has both Rounds and Requests: set one of them")
	case c.Inputs != nil && len(c.Inputs) != c.Nodes:
		return fmt.Errorf("NodesConfig.Inputs has length %d: NodesConfig.Nodes is %d", len(c.Inputs), c.Nodes)
	}
	for i, of := range c.Inputs {
		for k, m := range of {
			if err := state.CheckMessage(m); err != nil {
				return fmt.Errorf("NodesConfig.Inputs[%d][%d] is %T: %w", i, k, m, err)
			}
		}
	}
	for i, r := range c.Requests {
		if r < Unbounded {
			return fmt.Errorf("NodesConfig.Requests[%d] is %d: it must be at least 0, or Unbounded", i, r)
		}
	}
	return nil
}

func (c *Config) checkCrashes() error {
	for _, i := range c.CrashOf {
		if i < 0 || int(i) >= c.Nodes {
			return fmt.Errorf("NodesConfig.CrashOf has node %d: the nodes are 0 to %d", i, c.Nodes-1)
		}
	}
	for _, p := range c.CrashIn {
		if p > messaging.Absorbing {
			return fmt.Errorf("NodesConfig.CrashIn has %v: it must be Idle, Waiting, Inside or Absorbing", p)
		}
	}
	switch {
	case c.CrashOf != nil && len(c.CrashOf) == 0 || c.CrashIn != nil && len(c.CrashIn) == 0:
		return errors.New("NodesConfig has CrashOf or CrashIn, and it is empty: no node would crash")
	case slices.Equal(c.CrashIn, []messaging.Phase{messaging.Absorbing}) && c.Withdrawals == 0:
		return errors.New("NodesConfig has CrashIn Absorbing, and Withdrawals is 0: no node would crash")
	case c.Crashes == 0 && (c.CrashOf != nil || c.CrashIn != nil):
		return errors.New("NodesConfig has CrashOf or CrashIn, and Crashes is 0: no node would crash")
	}
	return nil
}

// checkLimits checks numbers that have a range.
func (c *Config) checkLimits() error {
	for _, f := range []struct {
		name        string
		value, most int
		why         string
	}{
		{"Early", c.Early, math.MaxUint16, ""},
		{"Withdrawals", c.Withdrawals, math.MaxUint16, ""},
		{"Crashes", c.Crashes, math.MaxUint16, ""},
		{"Restarts", c.Restarts, c.Crashes, ", as Crashes is"},
		{"Suspicions", c.Suspicions, math.MaxUint16, ""},
		{"Losses", c.Losses, math.MaxUint16, ""},
		{"Duplicates", c.Duplicates, math.MaxUint16, ""},
		{"Workers", c.Workers, 2, ""},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("NodesConfig.%s is %d: it must be 0 to %d%s", f.name, f.value, f.most, f.why)
		}
	}
	switch {
	case c.UnboundedWithin < 0:
		return fmt.Errorf("NodesConfig.UnboundedWithin is %d: it must be at least 0", c.UnboundedWithin)
	case c.Memory < 0:
		return fmt.Errorf("NodesConfig.Memory is %d: it must be at least 0", c.Memory)
	case c.AnyTime && c.Early > 0:
		return errors.New("NodesConfig has both AnyTime and Early: timers that expire at any time expire early any number of times")
	}
	return nil
}

// mostNodes is how many nodes a state has room for.
const mostNodes = 31
