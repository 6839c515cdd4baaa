//go:build !doorway_explore

package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// A terminal shows the last line only; one that cannot erase gets a line every ten
// seconds, and no control characters.
func TestProgress(t *testing.T) {
	for dumb, want := range map[bool]string{
		false: "\r\x1b[K0 s\r\x1b[K4 s\r\x1b[K8 s\r\x1b[K12 s\r\x1b[K",
		true:  "0 s\n12 s\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			p := &progress{terminal: &out, dumb: dumb}
			for s := 0; s < 16; s += 4 {
				p.show("%d s", s)
				time.Sleep(4 * time.Second)
			}
			p.clear()
			assert.Equal(t, want, out.String(), "dumb: %v", dumb)
		})
	}
}

// Without a terminal, a build that takes long is told of, in a line.
func TestBuilding(t *testing.T) {
	for takes, want := range map[time.Duration]string{patience - time.Second: "", patience + time.Second: "doorway: building a lock\n"} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			err := building(streams{err: &out}, "a lock", func() error { time.Sleep(takes); return io.EOF })
			assert.ErrorIs(t, err, io.EOF)
			assert.Equal(t, want, out.String(), "%v", takes)
		})
	}
}

// Progress is for terminals, and TERM says what a terminal can do.
func TestNewProgress(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, but no terminal
	require.NoError(t, err)
	defer func() { _ = device.Close() }()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	for name, w := range map[string]io.Writer{"a device": device, "a file": file, "no file": &strings.Builder{}} {
		assert.Equal(t, &progress{}, newProgress(w), "of %s", name)
		assert.Equal(t, columns, widthOf(w), "of %s", name)
	}
	pseudo, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !term.IsTerminal(int(pseudo.Fd())) {
		t.Skip("there is no terminal")
	}
	defer func() { _ = pseudo.Close() }()
	for name, dumb := range map[string]bool{"xterm": false, "": false, "dumb": true} {
		t.Setenv("TERM", name)
		assert.Equal(t, &progress{terminal: pseudo, dumb: dumb}, newProgress(pseudo), "TERM=%s", name)
	}
	for text, width := range map[string]int{"120": 120, "40": columns, "wide": columns, "": columns} {
		t.Setenv("COLUMNS", text)
		assert.Equal(t, width, widthOf(pseudo), "COLUMNS=%s", text)
		assert.Equal(t, width, widthOf(file), "COLUMNS=%s, to a file", text)
	}
}
