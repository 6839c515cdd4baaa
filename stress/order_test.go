package stress

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The count agrees with the definition on random schedules of calls, entries and
// aborts.
func TestOrderCountsWhatItSays(t *testing.T) {
	t.Parallel()
	const goroutines = 6
	rng := rand.New(rand.NewPCG(1, 2))
	o := order{waits: make([]wait, goroutines)}
	var waiting [goroutines]uint64 // the number of the call, or 0
	var since [goroutines]int      // how many had entered when it was made
	var entered []uint64           // the numbers of the calls, as they entered
	for range 20000 {
		k := rng.IntN(goroutines)
		switch number := waiting[k]; {
		case number == 0:
			waiting[k], since[k] = o.call(k), len(entered)
		case rng.IntN(4) == 0:
			o.leave(k)
			waiting[k] = 0
		default:
			want := uint64(0)
			for _, other := range entered[since[k]:] {
				if other > number {
					want++
				}
			}
			if got := o.enter(k, number); got != want {
				t.Fatalf("call %d was bypassed %d times, counted %d", number, want, got)
			}
			entered = append(entered, number)
			waiting[k] = 0
		}
	}
}

// A call is bypassed only by those that it excludes: 2 bypasses 1, and not 0.
func TestOrderOfThoseThatExclude(t *testing.T) {
	t.Parallel()
	o := order{waits: make([]wait, 3), excludes: func(i, j int) bool { return i+j == 3 }}
	a, b, c := o.call(0), o.call(1), o.call(2)
	assert.Equal(t, uint64(0), o.enter(2, c))
	assert.Equal(t, uint64(0), o.enter(0, a))
	assert.Equal(t, uint64(1), o.enter(1, b))
}

func TestBypassesStick(t *testing.T) {
	t.Parallel()
	var w wait
	w.v.Store(1<<passedBits | mostPassed - 1)
	for range 3 {
		w.pass(2)
	}
	assert.Equal(t, uint64(1<<passedBits|mostPassed), w.v.Load())
}
