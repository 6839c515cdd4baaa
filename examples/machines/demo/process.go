package main

import (
	"os"
	"os/exec"
	"syscall"
)

// What only some systems have.
var (
	withParent       *syscall.SysProcAttr // a child is killed when its parent ends, even if it is stopped then
	sigstop, sigcont os.Signal            // a process is stopped, and continued
)

// A process is a child.
type process struct {
	*exec.Cmd
	name string
	ends bool // it is to be killed, or has left
}

// spawn starts a process that joins. It is sent to ended when it has ended.
func (d *demo) spawn(name string) {
	program, err := os.Executable()
	if d.fail(err); d.err != nil {
		return
	}
	p := &process{Cmd: exec.Command(program, d.arguments()...), name: name}
	p.Env = append(os.Environ(), child+"="+name)
	p.Stderr = os.Stderr
	p.SysProcAttr = withParent
	if d.fail(p.Start()); d.err != nil {
		return
	}
	d.processes[name] = p
	d.running.Go(func() {
		_ = p.Wait() // which says how, as its state does
		d.ended <- p
	})
}

// kill ends a process at once, even one that is stopped, as kill -9 does.
func (p *process) kill() error {
	p.ends = true
	return p.Process.Kill()
}
