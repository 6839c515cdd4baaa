// Doorway measures, stresses and model-checks the locks of the library beside
// those of Go, counts the messages of the message-passing algorithms, and runs
// scenarios of them. "doorway help" explains its commands and the exit status.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
