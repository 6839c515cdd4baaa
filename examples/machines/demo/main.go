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

// A protocol is one to choose, with the messages of an entry among n members that enter equally often.
type protocol struct {
	messaging.Protocol
	formula  string
	messages func(n float64) float64
}

var protocols = []protocol{
	{ricartagrawala.Protocol, "2(n-1)", func(n float64) float64 { return 2 * (n - 1) }},
	{central.Protocol, "3(n-1)/n", func(n float64) float64 { return 3 * (n - 1) / n }},
	{lamport.Protocol, "3(n-1)", func(n float64) float64 { return 3 * (n - 1) }},
	{suzukikasami.Protocol, "n", func(n float64) float64 { return n }},
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

// Settings are what a member must know.
type settings struct {
	Address  string // of the server
	Token    string // which it asks for
	Name     string // of the member
	Protocol string
	Lease    time.Duration
}

const shortest, longest = 500 * time.Millisecond, 10 * time.Second

// launched is an environment variable: a process that has it was started by package machines.
const launched = "MACHINES_LAUNCHED"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, stop)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, stop func()) error {
	if os.Getenv(child) != "" {
		return obey(ctx, os.Stdin)
	}
	if os.Getenv(launched) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until the launcher ends
			stop()
		}()
	}
	var s settings
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run -C examples/machines . [flags]")
		flag.PrintDefaults()
	}
	flag.StringVar(&s.Protocol, "protocol", ricartagrawala.Protocol.Name, "the `algorithm` of the lock")
	flag.DurationVar(&s.Lease, "lease", 2*time.Second, "how long a member may be silent")
	listen := flag.String("listen", "", "let members of other machines join at this `address`, such as :4222")
	flag.StringVar(&s.Address, "join", "", "join the lock of another machine at this `address`")
	flag.StringVar(&s.Token, "token", "", "what -listen has printed on the other machine")
	flag.Parse()
	p, err := find(s.Protocol)
	switch {
	case err != nil:
		return err
	case s.Lease < shortest || s.Lease > longest:
		return fmt.Errorf("-lease %v: it must be from %v to %v", s.Lease, shortest, longest)
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case s.Address != "" && *listen != "":
		return errors.New("-join and -listen exclude each other")
	case s.Address == "" && s.Token != "":
		return errors.New("-token needs -join: a server makes one of its own")
	case s.Address != "" && s.Token == "":
		return errors.New("-join needs the -token that the other machine has printed")
	case s.Address != "":
		return join(ctx, s)
	}
	return show(ctx, s, p, *listen)
}
