// Doorway measures, stresses and model-checks the locks of the library beside
// those of Go, counts the messages of the message-passing algorithms, and runs
// scenarios of them.
//
//	doorway                    every lock beside sync.Mutex, and the costs of message passing
//	doorway list               the algorithms and their properties
//	doorway costs -n 21        messages and delays, measured beside the claims
//	doorway run scene.txt      a scenario, message by message
//	doorway trace scene.txt    every event of it, or a space-time diagram: -svg file
//	doorway stress bakery      a lock under load, and whether it kept its promise
//	doorway check bakery       a lock in every interleaving, with counterexamples
//	doorway check ./my.New     a lock of your own
//	doorway help [command]     more on each command
//	doorway help json          the fields that -json writes
//	doorway completion bash    completion of commands, flags and names, for a shell
//
// The exit status is 0; 1 if a lock broke its promise, a scenario had an unexpected
// outcome, something could not be checked or run, or the output could not be written;
// 2 if the command line is wrong; 130 after an interrupt.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
