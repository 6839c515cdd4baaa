package proof_test

import (
	"fmt"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
)

// A size is what the exploration of an instance takes.
type size struct {
	protocol catalog.Protocol
	nodes    int
	requests int // of each node
	crashes  int // at most

	states, events int
	bytes          int64
	took           time.Duration
}

// sizes are the instances of p that are measured: two nodes that request twice and three
// that request once, with and without a crash of which no node is told; and of some algorithms
// larger ones.
func sizes(p catalog.Protocol) (all []size) {
	for crashes := range 2 {
		all = append(all, size{protocol: p, nodes: 2, requests: 2, crashes: crashes}, size{protocol: p, nodes: 3, requests: 1, crashes: crashes})
		switch p.Name {
		case "ricartagrawala":
			all = append(all, size{protocol: p, nodes: 3, requests: 3, crashes: crashes})
		case "maekawa":
			all = append(all, size{protocol: p, nodes: 3, requests: 2, crashes: crashes})
		}
	}
	return all
}

// measure explores the instance.
func (s *size) measure() error {
	start := time.Now()
	r, err := checked(explore.NodesConfig{
		New: s.protocol.New(s.nodes), Name: s.protocol.Name, Nodes: s.nodes, Rounds: s.requests, Crashes: s.crashes, Perpetual: s.protocol.Perpetual,
	})
	if err != nil {
		return fmt.Errorf("%s, %d nodes: %w", s.protocol.Name, s.nodes, err)
	}
	s.states, s.events, s.bytes, s.took = r.States, r.Events, r.Bytes, time.Since(start)
	return nil
}

// sizesHeading is that of a table of sizes.
const sizesHeading = "| algorithm | n | requests | crashes | states | events | bytes a state | time |\n" +
	"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"

// String returns the row of the table. The last two columns are measured: what a small instance
// takes says nothing.
func (s size) String() string {
	measured := "– | –"
	if s.states >= 100_000 {
		measured = fmt.Sprintf("%d | %.2f s", s.bytes/int64(s.states), s.took.Seconds())
	}
	return spelling.Row("`"+s.protocol.Name+"`", s.nodes, s.requests, s.crashes, spelling.Thousands(s.states), spelling.Thousands(s.events), measured)
}
