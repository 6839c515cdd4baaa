// Demo is what package machines builds and runs: an embedded NATS server, three processes that share a lock
// on it, and what goes wrong with them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/suzukikasami"
)

// A protocol is one to choose.
type protocol struct {
	messaging.Protocol
	messages string // of an entry, when each of n = 3 members enters equally often
}

var protocols = []protocol{
	{ricartagrawala.Protocol, "2(n-1) = 4"},
	{central.Protocol, "3(n-1)/n = 2"},
	{lamport.Protocol, "3(n-1) = 6"},
	{suzukikasami.Protocol, "n = 3"},
}

func find(name string) (protocol, error) {
	var names []string
	for _, p := range protocols {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return protocol{}, fmt.Errorf("-protocol %s: it must be one of %s", name, strings.Join(names, ", "))
}

// Settings are what all members have in common.
type settings struct {
	address  string // of the server
	token    string // which it asks for
	protocol protocol
	lease    time.Duration
}

// arguments are those of a process that joins.
func (s settings) arguments() []string {
	return []string{"-join", s.address, "-token", s.token, "-protocol", s.protocol.Name, "-lease", s.lease.String()}
}

// Variables of the environment tell a process who has started it: package machines, or the demonstration, which
// names it.
const launched, child = "MACHINES_LAUNCHED", "MACHINES_MEMBER"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	switch {
	case os.Getenv(child) != "":
		signal.Ignore(os.Interrupt) // Ctrl-C is for the parent: when that has ended, so has the server
	case os.Getenv(launched) != "":
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until the launcher ends
			stop()
		}()
	}
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run -C examples/machines . [flags]")
		flag.PrintDefaults()
	}
	var s settings
	name := flag.String("protocol", ricartagrawala.Protocol.Name, "the `algorithm` of the lock")
	flag.DurationVar(&s.lease, "lease", 2*time.Second, "how long a member may be silent")
	listen := flag.String("listen", "", "let members of other machines join at this `address`, such as :4222")
	flag.StringVar(&s.address, "join", "", "join the lock of another machine at this `address`")
	flag.StringVar(&s.token, "token", "", "what -listen has printed on the other machine")
	flag.Parse()
	var err error
	s.protocol, err = find(*name)
	switch {
	case err != nil:
		return err
	case s.lease < 500*time.Millisecond || s.lease > 10*time.Second:
		return fmt.Errorf("-lease %v: it must be from 500ms to 10s", s.lease)
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case s.address == "" && s.token != "":
		return errors.New("-token needs -join: a server makes one of its own")
	case s.address == "":
		return show(ctx, s, *listen)
	case *listen != "":
		return errors.New("-join and -listen exclude each other")
	case s.token == "":
		return errors.New("-join needs the -token that the other machine has printed")
	}
	return live(ctx, s)
}
