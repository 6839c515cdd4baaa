package contract

import (
	"bytes"
	"io"
	"os"
	"os/exec"
)

// output runs a go command, and returns what it writes to standard output and to
// standard error. Both are files that no longer have a name, so that the go command
// can finish and remove its work directory if this program ends first. If they were
// pipes, it would die of SIGPIPE and leave that directory, as it also does when it is
// interrupted. Where an open file keeps its name, as on Windows, they are pipes: there
// is no SIGPIPE, but a write returns an error, after which it removes the directory.
func output(cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	out, err := unnamed()
	if err != nil {
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		stdout, err = cmd.Output()
		return stdout, complaints.Bytes(), err
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

// removed returns a temporary file without a name any more. It is left if this program
// ends between the two calls.
func removed() (*os.File, error) {
	f, err := os.CreateTemp("", "doorway")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_, _ = f.Close(), os.Remove(f.Name())
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
