// Machines shows one lock that several processes share, as they would on several machines.
//
//	go run -C examples/machines .
//
// The first time, the NATS server is compiled, which takes a minute or two. So this program, which takes seconds,
// tells how long that goes on, and then runs the demonstration, in directory demo.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

func main() {
	// Ctrl-C is for the demonstration, which ends its processes and then itself.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if compile() != nil {
		os.Exit(1) // the go command has said why
	}
	demo := command(os.Args[1:]...)
	demo.Stdout, demo.Stderr = os.Stdout, os.Stderr
	_, err := demo.StdinPipe() // it ends when this process does
	if err != nil || demo.Run() != nil {
		os.Exit(1)
	}
}

// compile compiles the NATS server.
func compile() error {
	server := exec.Command("go", "build", "github.com/nats-io/nats-server/v2/server")
	server.Stderr = os.Stderr
	done := make(chan error, 1)
	go func() { done <- server.Run() }()
	for began := time.Now(); ; {
		select {
		case err := <-done:
			return err
		case <-time.After(2 * time.Second):
			fmt.Printf("building the NATS server, the first time: %.0f s\n", time.Since(began).Seconds())
		}
	}
}

// command builds the rest of the demonstration, names each package of it, and runs it.
func command(args ...string) *exec.Cmd {
	demo := exec.Command("go", append([]string{"run", "-v", "./demo"}, args...)...)
	demo.Env = append(os.Environ(), "MACHINES_LAUNCHED=1")
	return demo
}
