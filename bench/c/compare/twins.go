package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Twins are the locks in C: a process that measures one at a time, when asked.
type twins struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	failed  error // the first failure
}

// startTwins starts the program that bench/c/main.c compiles to.
func startTwins(program string) (*twins, error) {
	t := &twins{process: exec.Command(program)}
	in, err := t.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := t.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.in, t.out = in, bufio.NewReader(out)
	return t, t.process.Start()
}

// ask sends a command and returns the number that answers it. After a failure it
// returns 0; stop returns the failure.
func (t *twins) ask(format string, values ...any) float64 {
	if t.failed != nil {
		return 0
	}
	command := fmt.Sprintf(format, values...)
	answer, err := "", error(nil)
	if _, err = fmt.Fprintln(t.in, command); err == nil {
		answer, err = t.out.ReadString('\n')
	}
	var value float64
	if err == nil {
		value, err = strconv.ParseFloat(strings.TrimSpace(answer), 64)
	}
	if err != nil {
		t.failed = fmt.Errorf("the twins do not answer %q: %w", command, err)
	}
	return value
}

// stop ends the process, and returns the first failure.
func (t *twins) stop() error {
	err := t.in.Close()
	if ended := t.process.Wait(); err == nil {
		err = ended
	}
	if t.failed != nil {
		return t.failed
	}
	return err
}
