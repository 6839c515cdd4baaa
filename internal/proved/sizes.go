package proved

import (
	"fmt"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
)

// A Size is what the exploration of an instance takes.
type Size struct {
	Protocol catalog.Protocol
	Nodes    int
	Requests int // of each node
	Crashes  int // at most

	States, Events int
	Bytes          int64
	Took           time.Duration
}

// Sizes are the instances of p that are measured: two nodes that request twice and three
// that request once, with and without a crash of which no node is told; and of some algorithms
// larger ones.
func Sizes(p catalog.Protocol) (all []Size) {
	for crashes := range 2 {
		all = append(all, Size{Protocol: p, Nodes: 2, Requests: 2, Crashes: crashes}, Size{Protocol: p, Nodes: 3, Requests: 1, Crashes: crashes})
		switch p.Name {
		case "ricartagrawala":
			all = append(all, Size{Protocol: p, Nodes: 3, Requests: 3, Crashes: crashes})
		case "maekawa":
			all = append(all, Size{Protocol: p, Nodes: 3, Requests: 2, Crashes: crashes})
		}
	}
	return all
}

// Measure explores the instance.
func (s *Size) Measure() error {
	start := time.Now()
	r, err := checked(explore.NodesConfig{
		New: s.Protocol.New(s.Nodes), Name: s.Protocol.Name, Nodes: s.Nodes, Rounds: s.Requests, Crashes: s.Crashes, Perpetual: s.Protocol.Perpetual,
	})
	if err != nil {
		return fmt.Errorf("%s, %d nodes: %w", s.Protocol.Name, s.Nodes, err)
	}
	s.States, s.Events, s.Bytes, s.Took = r.States, r.Events, r.Bytes, time.Since(start)
	return nil
}

// SizesHeading is that of a table of sizes.
const SizesHeading = "| algorithm | n | requests | crashes | states | events | bytes a state | time |\n" +
	"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"

// String returns the row of the table. The last two columns are measured: what a small instance takes says nothing.
func (s Size) String() string {
	measured := "– | –"
	if s.States >= 100_000 {
		measured = fmt.Sprintf("%d | %.2f s", s.Bytes/int64(s.States), s.Took.Seconds())
	}
	return fmt.Sprintf("| `%s` | %d | %d | %d | %s | %s | %s |\n", s.Protocol.Name, s.Nodes, s.Requests, s.Crashes, proof.Thousands(s.States), proof.Thousands(s.Events), measured)
}
