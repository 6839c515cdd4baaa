// Machines shows one lock that several processes share, as they would on several machines.
//
//	go run -C examples/machines .
//
// The first time, the NATS server is compiled, which takes a minute or two. So this program, which takes a
// second, compiles the demonstration, in directory demo, tells how far it is, and runs it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	// Ctrl-C is for the demonstration, which ends its processes and then itself.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	dir, err := os.MkdirTemp("", "machines")
	if err != nil {
		fail(err)
	}
	code, err := run(filepath.Join(dir, "demo.exe"))
	_ = os.RemoveAll(dir)
	if err != nil {
		fail(err)
	}
	os.Exit(code)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "machines:", err)
	os.Exit(1)
}

// run builds the demonstration and runs it; it returns its exit status.
func run(program string) (code int, err error) {
	if err := build(program); err != nil {
		return 0, err
	}
	demo := exec.Command(program, os.Args[1:]...)
	demo.Stdout, demo.Stderr = os.Stdout, os.Stderr
	demo.Env = append(os.Environ(), "MACHINES_LAUNCHED=1")
	lifeline, err := demo.StdinPipe() // it ends when this process does
	if err != nil {
		return 0, err
	}
	defer func() { _ = lifeline.Close() }()
	err = demo.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1 after a signal
	}
	return 0, err
}

// build compiles the demonstration, and tells how far it is.
func build(program string) error {
	began := time.Now()
	lines, w := io.Pipe()
	compile := exec.Command("go", "build", "-v", "-o", program, "./demo")
	compile.Stderr = w
	if err := compile.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		done <- compile.Wait()
		_ = w.Close()
	}()
	output := make(chan string)
	go func() {
		defer close(output)
		for s := bufio.NewScanner(lines); s.Scan(); {
			output <- s.Text()
		}
	}()
	return follow(output, began, done)
}

// follow prints progress until the output of the compiler ends, and what is no progress at once.
func follow(output <-chan string, began time.Time, done <-chan error) error {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	line, end := "%s\n", ""
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		line, end = "\r\x1b[K%s", "\n" // one line of a terminal
	}
	compiled, latest, told := 0, "", false
	for {
		select {
		case text, is := <-output:
			switch {
			case !is:
				if told {
					fmt.Printf(line+"%s\n", fmt.Sprintf("built in %.0f s", time.Since(began).Seconds()), end)
				}
				return <-done
			case strings.HasPrefix(text, "#") || strings.ContainsAny(text, " \t"):
				fmt.Fprintln(os.Stderr, text) // a download, or an error
			default:
				compiled++
				latest = ", " + text
			}
		case <-tick.C:
			told = true
			fmt.Printf(line, fmt.Sprintf("building, the first time with the NATS server: %.0f s, %d compiled%s",
				time.Since(began).Seconds(), compiled, latest))
		}
	}
}
