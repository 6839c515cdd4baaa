//go:build race

package tier

// Race reports whether the race detector is on, which makes everything five times slower.
const Race = true
