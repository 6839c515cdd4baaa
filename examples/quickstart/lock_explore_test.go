//go:build doorway_explore

package main

import (
	"cmp"
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// New stands for the constructor of a reader's own lock.
func New(int) mutex.Mutex { return peterson.New() }

func TestLock(t *testing.T) { // New(n int) mutex.Mutex is your constructor
	report, err := explore.Check(explore.Config{New: New, Processes: 2})
	if err := cmp.Or(err, report.Err()); err != nil {
		t.Fatal(err)
	}
}
