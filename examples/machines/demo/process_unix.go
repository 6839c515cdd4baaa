//go:build unix

package main

import "syscall"

const stops = true // this system can stop a process

func (p *process) stop() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) cont() error { return p.cmd.Process.Signal(syscall.SIGCONT) }
