package main

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A terminal shows the last line only; one that cannot erase gets a line every ten
// seconds, and no control characters.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name string
		dumb bool
		want string
	}{
		{"erases", false, "\r\x1b[K0 s\r\x1b[K4 s\r\x1b[K8 s\r\x1b[K12 s\r\x1b[K"},
		{"dumb", true, "0 s\n12 s\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				p := &progress{terminal: &out, dumb: c.dumb}
				for s := 0; s < 16; s += 4 {
					p.show("%d s", s)
					time.Sleep(4 * time.Second)
				}
				p.clear()
				assert.Equal(t, c.want, out.String())
			})
		})
	}
}

// Progress is for terminals, and what a terminal can is in TERM.
func TestNewProgress(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // which is a character device, as a terminal is
	require.NoError(t, err)
	defer func() { _ = device.Close() }()
	for term, dumb := range map[string]bool{"xterm": false, "": false, "dumb": true} {
		t.Setenv("TERM", term)
		assert.Equal(t, &progress{terminal: device, dumb: dumb}, newProgress(device), "TERM=%s", term)
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	assert.Equal(t, &progress{}, newProgress(file), "of a file")
	assert.Equal(t, &progress{}, newProgress(&strings.Builder{}), "of no file")
}
