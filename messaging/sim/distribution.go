package sim

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"time"
)

// A Distribution describes how durations are drawn. The zero value means not set:
// each field of this type documents its default.
type Distribution struct {
	shape  shape
	lo, hi time.Duration
}

type shape uint8

const (
	unset shape = iota
	constant
	uniform
	exponential
)

// Constant returns the distribution that is always d.
func Constant(d time.Duration) Distribution { return Distribution{constant, d, d} }

// Uniform returns the distribution in which every number of ticks from lo to hi has
// the same probability.
func Uniform(lo, hi time.Duration) Distribution { return Distribution{uniform, lo, hi} }

// Exponential returns the exponential distribution with that mean: mostly short, at
// times several times as long.
func Exponential(mean time.Duration) Distribution { return Distribution{exponential, 0, mean} }

// text returns the distribution as scenarios have it.
func (d Distribution) text() string {
	switch d.shape {
	case uniform:
		return inT(d.lo) + ".." + inT(d.hi)
	case exponential:
		return "exp(" + inT(d.hi) + ")"
	}
	return inT(d.hi)
}

func (d Distribution) or(otherwise Distribution) Distribution {
	if d.shape == unset {
		return otherwise
	}
	return d
}

func (d Distribution) check(field string) error {
	return cmp.Or(
		refuseIf(d.lo < 0 || d.hi > longest || d.hi < 0,
			"%s is %s T: durations must be 0 to %s T", field, d.text(), inT(longest)),
		refuseIf(d.lo > d.hi && d.shape == uniform,
			"%s is %s T: the first must not be larger than the second", field, d.text()),
	)
}

func (d Distribution) draw(dice *dice) time.Duration {
	switch d.shape {
	case uniform:
		return d.lo + time.Duration(dice.below(uint64(d.hi-d.lo)+1))
	case exponential:
		return dice.exponential(d.hi)
	}
	return d.lo
}

// dice draws numbers by integer arithmetic only. Floating-point results may differ in
// the last place between machines, and with them the order of events.
type dice struct{ rand.PCG }

// below returns a number in [0, n): the upper half of a product, which favors no
// number by more than n in 2^64.
func (d *dice) below(n uint64) uint64 {
	upper, _ := bits.Mul64(d.Uint64(), n)
	return upper
}

// exponential uses J. von Neumann's method (Various techniques used in connection
// with random digits, 1951), which only compares: in u1 >= u2 >= ... < uN, N is even
// with probability exp(-u1); otherwise the mean is added and the draw starts again.
func (d *dice) exponential(mean time.Duration) time.Duration {
	for k := time.Duration(0); ; k++ {
		u := d.Uint64()
		last, n := u, 1
		for {
			next := d.Uint64()
			n++
			if next > last {
				break
			}
			last = next
		}
		if n%2 == 0 {
			fraction, _ := bits.Mul64(u, uint64(mean))
			return k*mean + time.Duration(fraction)
		}
	}
}

// A chance is a probability, times 2^53.
type chance uint64

func chanceOf(p float64) chance { return chance(p * (1 << 53)) }

func (d *dice) happens(c chance) bool { return c != 0 && d.Uint64()>>11 < uint64(c) }
