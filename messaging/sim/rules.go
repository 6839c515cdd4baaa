package sim

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// checkRules returns an error if the scenario has a checksum and a's is another.
func (s *Scenario) checkRules(a messaging.Algorithm) error {
	if s.checksum == "" {
		return nil
	}
	c := s.config
	c.Algorithm = a
	if found := rules(c); found != s.checksum {
		return s.errorAt(s.given["rules"], fmt.Errorf("expected rules %s, but those of %s are %s: its messages, rules or timeouts are not those with which the run was written",
			s.checksum, s.setting.Algorithm, found))
	}
	return nil
}

// rules returns a checksum of the algorithm of c: of what its nodes do, send and know in
// two short runs, the second with a crash.
func rules(c Config) string {
	h := fnv.New32a()
	for _, crashes := range [][]Crash{nil, {{Node: messaging.ID(c.Nodes - 1), At: 3 * T}}} {
		s := fixedRun(c, crashes, HighLoad{}, h)
		if s.err != nil && Failure(s.err) == "" {
			s = fixedRun(c, crashes, nil, h) // the nodes are no locks
		}
		put(h, Failure(s.failure()))
		for i := range s.Sites {
			encode(h, layer.Innermost(s.Sites[i].Node()))
		}
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// fixedRun runs the algorithm of c for a few thousand events, and writes them to w.
func fixedRun(c Config, crashes []Crash, load Load, w io.Writer) *simulation {
	s := newSimulation(Config{
		Algorithm: c.Algorithm, Nodes: c.Nodes, Holder: c.Holder, Load: load, Stay: Constant(T),
		Latency: Uniform(T/2, 3*T/2), GiveUp: 0.25, GiveUpAfter: Uniform(0, 4*T), Patience: longest,
		Crashes: crashes, Detection: Constant(T), Seed: 1, Observe: digest(w), Inputs: c.Inputs,
	}, load == nil)
	s.guard(func() {
		s.begin()
		const events = 2000
		for more := s.err == nil; more && s.Number < events; {
			more = s.next()
		}
	})
	return s
}

// digest returns an observer that writes each event to w, and each type of a message.
func digest(w io.Writer) func(messaging.Event) {
	var known []reflect.Type
	return func(e messaging.Event) {
		put(w, e.Cause, int64(e.At), e.Action, int(e.From), int(e.To))
		if e.Message == nil {
			return
		}
		if t := reflect.TypeOf(e.Message); !slices.Contains(known, t) {
			known = append(known, t)
			put(w, messaging.Kind(e.Message))
			for k := 0; t.Kind() == reflect.Struct && k < t.NumField(); k++ {
				put(w, t.Field(k).Name, t.Field(k).Type)
			}
		}
		encode(w, e.Message)
	}
}

// put writes a line to w, a checksum.
func put(w io.Writer, args ...any) { _, _ = w.Write(fmt.Appendln(nil, args...)) }

// encode writes the state of a node or a message to w, if it is plain data.
func encode(w io.Writer, v any) {
	if reflect.ValueOf(v).IsValid() && state.Check(v) == nil {
		_, _ = w.Write(state.Append(nil, v))
	}
}
