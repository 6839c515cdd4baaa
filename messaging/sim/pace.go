package sim

import (
	"fmt"
	"math/bits"
	"time"

	"example.org/doorway/messaging"
)

// timer returns how long a timer of node i runs that is to run for d.
func (c *Config) timer(i messaging.ID, d time.Duration) time.Duration {
	if c.Pace == nil {
		return d
	}
	hi, lo := bits.Mul64(uint64(d), uint64(c.Pace[i]))
	if hi >= uint64(T) {
		return endOfTime
	}
	n, _ := bits.Div64(hi, lo, uint64(T))
	return time.Duration(min(n, uint64(endOfTime)))
}

func (c *Config) checkPace() error {
	if c.Pace != nil && len(c.Pace) != c.Nodes {
		return fmt.Errorf("Config.Pace is that of %d nodes: there are %d", len(c.Pace), c.Nodes)
	}
	for i, d := range c.Pace {
		if d <= 0 || d > longest {
			return fmt.Errorf("Config.Pace[%d] is %s T: it must be more than 0, and at most %s T", i, inT(d), inT(longest))
		}
	}
	return nil
}
