//go:build race

package catalog_test

// slow says that the race detector makes everything slow.
const slow = true
