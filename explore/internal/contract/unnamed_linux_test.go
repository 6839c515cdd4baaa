package contract

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program may end at any time: a file that has a name for a moment only is left then.
func TestUnnamedFromTheStart(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := os.OpenFile(dir, os.O_RDWR|nameless, 0o600)
	if err != nil {
		t.Skip("this file system has no files without names: ", err)
	}
	require.NoError(t, f.Close())

	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	require.NoError(t, err)
	events := os.NewFile(uintptr(fd), "inotify")
	defer func() { _ = events.Close() }()
	_, err = syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE)
	require.NoError(t, err)

	f, err = unnamed()
	require.NoError(t, err)
	_, err = f.WriteString("{}")
	require.NoError(t, err)
	read, err := content(f)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(read))
	require.NoError(t, f.Close())

	require.NoError(t, os.Mkdir(filepath.Join(dir, "last"), 0o700))
	event := make([]byte, 4096)
	n, err := events.Read(event)
	require.NoError(t, err)
	assert.Contains(t, string(event[:n]), "last")
	assert.Equal(t, syscall.SizeofInotifyEvent+16, n, "a single event, of a name of at most 16 bytes: %q", event[:n])
}
