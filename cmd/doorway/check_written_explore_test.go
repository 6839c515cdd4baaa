//go:build doorway_explore

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lock of a package without registers is checked as it is written.
func TestWritten(t *testing.T) {
	shown := shows(t, "check sync.Mutex -n 2", 0)
	assert.Contains(t, shown, "every interleaving of 2 goroutines, of the lock as it is")
	assert.Contains(t, shown, "sync.Mutex keeps every lock's promise in every run of 2 goroutines.\n")
	assert.Contains(t, shown, "while a goroutine waits, more than 254 by each other")
	shown = shows(t, "check ./testdata/own/spin.Racy -rounds 1", 1)
	assert.Contains(t, shown, "./testdata/own/spin.Racy breaks every lock's promise: mutual exclusion fails.\n")
	assert.Contains(t, shown, "spin.go:14  store lock.held: 0 to 1\n")
	shown = shows(t, "check sync.Mutex -n 1 -doorway nowhere", 2, `doorway check: -doorway is "nowhere", and no line with that has`)
	assert.Empty(t, shown)
	file := filepath.Join(t.TempDir(), "racy_test.go")
	shown = shows(t, "check ./testdata/own/spin.Racy -rounds 1 -test "+file, 1)
	assert.Contains(t, shown, file+" replays it: go test.\n")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Regexp(t, `Name: +"example.org/doorway/cmd/doorway/testdata/own/spin.Racy"`, string(text))
	for line, wrong := range map[string]string{
		"./testdata/own/spin.Racy -give-up": "-give-up is for a lock of registers or a protocol, and ./testdata/own/spin.Racy is neither",
		"sync.Mutex -n 8":                   "-n is 8, want 1 to 6",
		"sync.Mutex -rounds 1,2":            "-rounds 1,2: of a lock, it is one number for all goroutines",
	} {
		assert.Empty(t, shows(t, "check "+line, 2, "doorway check: "+wrong))
	}
}
