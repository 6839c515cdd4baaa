package contract

import (
	"bytes"
	"cmp"
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
	out, failed := unnamed()
	complaints, failedToo := unnamed()
	defer func() { _, _ = out.Close(), complaints.Close() }()
	if cmp.Or(failed, failedToo) != nil {
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		stdout, err = cmd.Output()
		return stdout, complaints.Bytes(), err
	}
	cmd.Stdout, cmd.Stderr = out, complaints
	err = cmd.Run()
	stdout, failed = content(out)
	stderr, failedToo = content(complaints)
	return stdout, stderr, cmp.Or(err, failed, failedToo)
}

// unnamed returns a temporary file without a name any more. It is left if this program ends between the two calls.
func unnamed() (*os.File, error) {
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
