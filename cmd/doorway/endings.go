//go:build !js

package main

import (
	"os"
	"syscall"
)

// endings are the signals, beside an interrupt, that end a program which does not
// handle them.
var endings = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
