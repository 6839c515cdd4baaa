//go:build !unix

package contract

import (
	"bytes"
	"os/exec"
)

// output runs a go command, and returns what it writes to standard output and to
// standard error. If this program ends first, a write of the go command returns an
// error, after which it removes its work directory: there is no SIGPIPE.
func output(cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	stdout, err = cmd.Output()
	return stdout, complaints.Bytes(), err
}
