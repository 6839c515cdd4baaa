package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// withParent has a child be killed when its parent ends, even if it is stopped then. Where the system cannot, a child
// ends when its standard input does.
var withParent *syscall.SysProcAttr

// A process is a child.
type process struct {
	name  string
	cmd   *exec.Cmd
	input io.WriteCloser
	ended chan struct{} // closed when it has ended
	ends  bool          // it was killed, or ordered to leave
}

func spawn(s settings) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: s.Name, cmd: exec.Command(program), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), child+"=1")
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = withParent
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, json.NewEncoder(p.input).Encode(s)
}

// order gives orders. A process that has ended takes none: that is seen elsewhere.
func (p *process) order(o orders) {
	p.ends = p.ends || o.Leave
	_ = json.NewEncoder(p.input).Encode(o)
}

// kill ends a process at once, even one that is stopped, as kill -9 does.
func (p *process) kill() {
	p.ends = true
	_ = p.cmd.Process.Kill()
	<-p.ended
}
