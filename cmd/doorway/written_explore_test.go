//go:build doorway_explore

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A lock of a package without registers is checked as it is written.
func TestWritten(t *testing.T) {
	shown := shows(t, "check sync.Mutex -n 2", 0)
	assert.Contains(t, shown, "every interleaving of 2 goroutines, of the lock as it is")
	assert.Contains(t, shown, "sync.Mutex keeps every lock's promise in every run of 2 goroutines.\n")
	shown = shows(t, "check ./testdata/own/spin.Racy -rounds 1", 1)
	assert.Contains(t, shown, "./testdata/own/spin.Racy breaks every lock's promise of mutual exclusion.\n")
	assert.Contains(t, shown, "spin.go:14  store lock.held: 0 to 1\n")
	shows(t, "check ./testdata/own/spin.Racy -give-up", 2,
		"doorway check: -give-up is for a lock of registers or a protocol, and ./testdata/own/spin.Racy is neither")
}
