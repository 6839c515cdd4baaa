//go:build unix

package main

import "syscall"

func init() { sigstop, sigcont = syscall.SIGSTOP, syscall.SIGCONT }
