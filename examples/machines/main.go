// Machines shows one lock that several processes share, as they would on several machines.
//
//	go run -C examples/machines .
//
// The first time, the NATS server is compiled, which takes a minute or two. So this program, which takes a second,
// has the go command name each package that it compiles for the demonstration, in directory demo, and run it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	// Ctrl-C is for the demonstration, which ends its processes and then itself.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	fmt.Println("Building. The first time this takes a minute or two, most of it for the NATS server, which comes last.")
	demo := command(os.Args[1:]...)
	demo.Stdout, demo.Stderr = os.Stdout, os.Stderr
	_, err := demo.StdinPipe() // it ends when this process does
	if err == nil {
		err = demo.Run()
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) { // otherwise the program has said why
		fmt.Fprintln(os.Stderr, "machines:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// command builds the demonstration and runs it.
func command(args ...string) *exec.Cmd {
	demo := exec.Command("go", append([]string{"run", "-v", "./demo"}, args...)...)
	demo.Env = append(os.Environ(), "MACHINES_LAUNCHED=1")
	return demo
}
