package requests_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/messaging"
)

func TestRequests(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var q requests.Queue
		want := map[messaging.Stamp]bool{}
		for range 50 {
			s := messaging.Stamp{Time: messaging.Time(r.IntN(5)) + 1, ID: messaging.ID(r.IntN(5))}
			switch r.IntN(4) {
			case 0:
				if q.Remove(s) != want[s] {
					t.Fatalf("Remove(%v) of %v", s, want)
				}
				delete(want, s)
			case 1:
				first := q.First()
				if first != q.Pop() || first.IsZero() != (len(want) == 0) {
					t.Fatalf("First %v of %v", first, want)
				}
				delete(want, first)
			default:
				if q.Insert(s) == want[s] {
					t.Fatalf("Insert(%v) into %v", s, want)
				}
				want[s] = true
			}
			if sorted := slices.SortedFunc(maps.Keys(want), byAge); !slices.Equal(q, sorted) || q.Has(s) != want[s] {
				t.Fatalf("%v, want %v", q, sorted)
			}
		}
	}
}

// byAge is the order of stamps.
func byAge(s, t messaging.Stamp) int {
	return cmp.Or(cmp.Compare(s.Time, t.Time), cmp.Compare(s.ID, t.ID))
}
