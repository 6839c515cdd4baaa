package main

import "os"

// endings are the signals, beside an interrupt, that end a program which does not
// handle them; here there are none.
var endings []os.Signal
