// Doorway compares the locks of the library with those of Go, lists what they
// promise, and puts any of them under stress.
//
//	doorway                    all locks beside sync.Mutex, in ten seconds
//	doorway list               what each of them promises
//	doorway stress bakery      a lock under load, and whether it kept its promise
//	doorway help [command]     more on each, and the fields that -json writes
//
// The exit status is 0; 1 if a lock broke its promise or the output could not
// be written; 2 if the command line is wrong; 130 after an interrupt.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
