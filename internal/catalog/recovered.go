package catalog

import (
	"strings"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/recovery"
)

// Recovery begins the names of [Protocols] with recovery; Timeouts ends them where nodes suspect
// crashes, and are not told.
const (
	Recovery = "recovery-"
	Timeouts = "-timeouts"
)

// Recovered returns the row of p with recovery, whose nodes are told of crashes.
func Recovered(p Protocol) Protocol { return recovered(p, "", detected) }

// Suspecting returns the row of p with recovery, whose nodes suspect crashes.
func Suspecting(p Protocol) Protocol { return recovered(p, Timeouts, suspecting) }

func recovered(p Protocol, suffix string, config func(t time.Duration) recovery.Config) Protocol {
	r := protocol(recovery.Of(p.Declared, config(time.Second)), "recovery.Over("+strings.TrimSuffix(p.Import, ".New")+".Protocol, config)", p.Source, Costs{})
	r.Name += suffix
	r.Timed = func(t time.Duration) messaging.Algorithm {
		plain := p.Declared
		if p.Timed != nil {
			plain.New = func(int) (messaging.Algorithm, error) { return p.Timed(t), nil }
		}
		return recovery.Over(plain, config(t))
	}
	return r
}

// detected is the config of nodes that are told of crashes, where messages take about t.
func detected(t time.Duration) recovery.Config {
	return recovery.Config{Answer: 3 * t, Coordinator: 6 * t}
}

// suspecting is that of nodes that are not told.
func suspecting(t time.Duration) recovery.Config {
	c := detected(t)
	c.Patience, c.Silence = 20*t, 3*t
	return c
}

// findRecovered returns the row of that name of an algorithm with recovery. There is none of one whose
// nodes share.
func findRecovered(name string) (Protocol, bool) {
	of, is := strings.CutPrefix(name, Recovery)
	if !is {
		return Protocol{}, false
	}
	of, suspects := strings.CutSuffix(of, Timeouts)
	p, known := find(of, Protocols)
	switch {
	case !known || p.Excludes(1) != nil:
		return Protocol{}, false
	case suspects:
		return Suspecting(p), true
	}
	return Recovered(p), true
}
