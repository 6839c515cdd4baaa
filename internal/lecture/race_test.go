//go:build race

package lecture_test

// slow says that the race detector makes everything slow.
const slow = true
