package ricartagrawala_test

import (
	"testing"

	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/ricartagrawala"
)

func TestSchedules(t *testing.T) {
	for seed := range uint64(1000) {
		for nodes := range 6 {
			c := nodetest.Config{
				Nodes: nodes + 1, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			if err := nodetest.Run(ricartagrawala.New, c); err != nil {
				t.Fatal(err)
			}
		}
	}
}
