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

// A terminal shows the last line only, once a second, and in the end nothing.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		_, err := watch(t.Context(), &progress{&out}, func(say func(string)) (int, error) {
			say("first")
			say("last")
			<-time.After(2500 * time.Millisecond)
			return 0, io.EOF
		})
		assert.ErrorIs(t, err, io.EOF)
		assert.Equal(t, "\r\x1b[K1 s, last\r\x1b[K2 s, last\r\x1b[K", out.String())
	})
}

// Without a terminal, a build that takes long is told of, in a line.
func TestBuilding(t *testing.T) {
	for takes, want := range map[time.Duration]string{patience - time.Second: "", patience + time.Second: "doorway: building a lock\n"} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			err := building(streams{err: &out}, "a lock", func() error { <-time.After(takes); return io.EOF })
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
	for name, want := range map[string]*progress{"xterm": {pseudo}, "": {pseudo}, "dumb": {}} {
		t.Setenv("TERM", name)
		assert.Equal(t, want, newProgress(pseudo), "TERM=%s", name)
	}
	for text, width := range map[string]int{"120": 120, "40": columns, "wide": columns, "": columns} {
		t.Setenv("COLUMNS", text)
		assert.Equal(t, width, widthOf(pseudo), "COLUMNS=%s", text)
		assert.Equal(t, width, widthOf(file), "COLUMNS=%s, to a file", text)
	}
}
