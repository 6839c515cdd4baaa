//go:build race

package catalog_test

// slow is whether the race detector makes everything slow.
const slow = true
