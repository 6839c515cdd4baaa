package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// plays is in the environment of a process which is this test binary and plays
// another program, so that tests have one without building it: doorway; the go
// command, if that is its name; or the other build of doorway, which it is
// already or which it plays.
const plays = "DOORWAY_TEST_PLAYS"

func TestMain(m *testing.M) {
	if err := os.Unsetenv("COLUMNS"); err != nil { // on which output depends
		panic(err)
	}
	switch _, playing := os.LookupEnv(plays); {
	case playing && filepath.Base(os.Args[0]) == "go":
		os.Exit(playGo())
	case playing && os.Getenv(mark) != "" && !watches():
		os.Exit(playCheck())
	case playing:
		main()
	}
	status := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn) // what is left does no harm
	}
	os.Exit(status)
}

// soon is far longer than what is waited for takes. A test that fails leaves no
// process that goes on for longer than twice that.
const soon = time.Minute

// playGo is a go build, which makes this test binary the program that is built.
// Where the environment has an address, it says there that it runs, and goes on
// until it is interrupted.
func playGo() int {
	ctx, stop := context.WithTimeout(context.Background(), 2*soon)
	defer stop()
	ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if address := os.Getenv(plays); address != "" {
		c, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer func() { _ = c.Close() }()
		<-ctx.Done()
		return 1
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, os.Args[slices.Index(os.Args, "-o")+1])
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// playCheck is a check that never ends.
func playCheck() int {
	ctx, stop := context.WithTimeout(context.Background(), 2*soon)
	defer stop()
	ctx, stop = attached(ctx)
	defer stop()
	fmt.Println("checking")
	<-ctx.Done()
	return status(ctx.Err(), os.Stderr)
}
