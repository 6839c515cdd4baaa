//go:build unix

package contract

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// output runs a go command, and returns what it writes to standard output and to
// standard error. Both are files that no longer have a name, so that the go command
// can finish and remove its work directory if this program ends first. If they were
// pipes, it would die of SIGPIPE and leave that directory, as it also does when it is
// interrupted.
func output(cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	out, err := unnamed()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = out.Close() }()
	complaints, err := unnamed()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = complaints.Close() }()
	cmd.Stdout, cmd.Stderr = out, complaints
	failed := cmd.Run()
	if stdout, err = content(out); err != nil {
		return nil, nil, err
	}
	if stderr, err = content(complaints); err != nil {
		return nil, nil, err
	}
	return stdout, stderr, failed
}

// tmpfile is O_TMPFILE of Linux: a new file in a directory, without a name.
const tmpfile = 0x400000 | syscall.O_DIRECTORY

// unnamed returns a temporary file that ceases to exist when it is closed, by this
// program and by those that inherit it. Where the system or the file system cannot
// make it without a name, it has one for an instant.
func unnamed() (*os.File, error) {
	if runtime.GOOS == "linux" {
		if f, err := os.OpenFile(os.TempDir(), os.O_RDWR|tmpfile, 0o600); err == nil {
			return f, nil
		}
	}
	f, err := os.CreateTemp("", "doorway")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// content returns all that a file contains.
func content(f *os.File) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
