//go:build unix

package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A test starts its own program again for members, and for a server, that can be killed and stopped. Its
// parameters are in these variables.
const (
	childMember = "DOORWAY_TEST_MEMBER"
	childServer = "DOORWAY_TEST_SERVER"
)

func init() {
	member, server := os.Getenv(childMember), os.Getenv(childServer)
	if member == "" && server == "" {
		return
	}
	run, text := runMember, member
	if server != "" {
		run, text = runServer, server
	}
	if err := run(text); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A memberConfig is what a member is told.
type memberConfig struct {
	URL, Name string
	Lease     time.Duration
}

// A report is what a member says; it waits for an answer.
type report struct {
	Kind  kind
	Token messaging.Token
	ID    string // of the guard
	Value int    // that it writes
	Lost  bool   // the guard was, when it unlocked
}

type kind int

const (
	isMember kind = iota
	reads
	writes
	unlocked
)

type answer struct {
	Value   int  // that was read
	Refused bool // the token was
	Leave   bool
}

// runMember adds 1 to the counter of its parent in each critical section, until it is told to leave.
func runMember(text string) error {
	var c memberConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx := context.Background()
	nc, err := nats.Connect(c.URL, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	store, err := natsengine.Store(ctx, js, "locks", "orders")
	if err != nil {
		return err
	}
	lock, err := engine.Join(ctx, "orders", engine.Config{
		Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: c.Lease, Process: c.Name,
	})
	if err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	tell := func(r report) (a answer, err error) {
		if err := out.Encode(r); err != nil {
			return a, err
		}
		return a, in.Decode(&a)
	}
	a, err := tell(report{Kind: isMember})
	for err == nil && !a.Leave {
		a, err = addOne(ctx, lock, tell)
	}
	if err != nil {
		return err
	}
	return lock.Leave(ctx)
}

// addOne reads and writes once. As any program that is stopped before it writes, it does not see that its guard has
// ended.
func addOne(ctx context.Context, lock *engine.Lock, tell func(report) (answer, error)) (a answer, err error) {
	g, err := lock.Lock(ctx)
	if err != nil {
		return a, err
	}
	r := report{Kind: reads, Token: g.Token(), ID: g.ID()}
	if a, err = tell(r); err != nil {
		return a, err
	}
	if !a.Refused {
		r.Kind, r.Value = writes, a.Value+1
		if _, err = tell(r); err != nil {
			return a, err
		}
	}
	r.Kind, r.Lost = unlocked, g.Unlock() != nil
	return tell(r)
}

type serverConfig struct {
	Dir  string
	Port int // -1: any
}

// runServer is a server until its parent ends.
func runServer(text string) error {
	var c serverConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: c.Port, JetStream: true, StoreDir: c.Dir, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return fmt.Errorf("the server does not start")
	}
	if err := json.NewEncoder(os.Stdout).Encode(s.ClientURL()); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	return nil
}
