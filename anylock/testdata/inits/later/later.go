// Package later has what depends on what is set before and after something unknown is called.
package later

import "math"

// when returns what panics if something holds.
func when(holds func() bool) []func() {
	return []func(){func() {
		if holds() {
			panic("it does")
		}
	}}
}

var (
	before  = 2
	unknown = which()
	_       = unknown()

	to     = pick(place{})
	target = 1
	_      = through()

	after = 2
)

func which() func() bool {
	if math.Sqrt(4) == 2 {
		return func() bool { return false }
	}
	return func() bool { return true }
}

type place struct{}

func (place) get() *int { return &target }

func pick(x interface{ get() *int }) *int {
	if math.Sqrt(4) == 2 {
		return x.get()
	}
	return nil
}

func through() bool {
	*to = 2
	return true
}

// After panics.
func After() []func() { return when(func() bool { return after == 2 }) }

// Before panics, which is not known.
func Before() []func() { return when(func() bool { return before == 2 }) }

// Target is such a one.
func Target() []func() { return when(func() bool { return target == 2 }) }
