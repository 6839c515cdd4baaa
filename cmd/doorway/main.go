// Doorway compares the locks of the library with those of Go, lists what they
// promise, puts any of them under stress, and checks them in every interleaving;
// it counts the messages of those that pass some, and runs scenarios of them.
//
//	doorway                    all locks beside sync.Mutex, and what messages cost, in ten seconds
//	doorway list               what each of them promises
//	doorway costs -n 21        messages and delays, measured beside what is claimed
//	doorway run scene.txt      a scenario, message by message
//	doorway stress bakery      a lock under load, and whether it kept its promise
//	doorway check bakery       a lock in every interleaving, and what fails step by step
//	doorway help [command]     more on each, and the fields that -json writes
//
// The exit status is 0; 1 if a lock broke its promise or a scenario did not come
// out as expected, or the output could not be written, or a lock not be checked; 2 if the command line is wrong; 130 after an interrupt.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
