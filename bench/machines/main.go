// Command machines compares the lock of package engine over NATS with a bare lock server and with other
// distributed locks, on this machine's loopback: real servers, one or more processes of clients.
//
//	go run .                              all locks
//	go run . -rounds 3 -only 'bare|central'
//	go run . -update                      also into README.md
//
// All clients of a table are there from the beginning. A round measures each lock once, in turn, while the others are
// idle, so a change of the machine's speed meets all of them. A ratio is of two locks of one round.
// A lock whose server is not installed is left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	if isChild() {
		return
	}
	rounds := flag.Int("rounds", 15, "how often each lock is measured, for 400ms")
	only := flag.String("only", "", "only locks that this expression matches")
	update := flag.Bool("update", false, "write the tables into README.md")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "machines: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*rounds, *only, *update); err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func run(rounds int, only string, update bool) error {
	if rounds < 1 {
		return fmt.Errorf("%d rounds: there must be at least 1", rounds)
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	servers, err := start(ctx)
	if err != nil {
		return err
	}
	defer servers.stop()
	r := &report{rounds: rounds, window: 400 * time.Millisecond, versions: servers.versions, cells: map[cell][]result{}}
	for _, sh := range shapes {
		if err := r.shape(ctx, servers, sh, wanted); err != nil {
			return err
		}
	}
	if r.stalls, err = stalls(ctx, servers, rounds); err != nil {
		return err
	}
	fmt.Print(r.text())
	if update {
		return write("README.md", r.text())
	}
	return nil
}

// shape measures all locks in one shape.
func (r *report) shape(ctx context.Context, servers *servers, sh shape, wanted *regexp.Regexp) (err error) {
	var groups []*group
	defer func() {
		for _, g := range groups {
			err = errors.Join(err, g.end())
		}
	}()
	for _, l := range locks {
		if !wanted.MatchString(l.name) || servers.urls[l.server] == "" || !l.in(sh) {
			continue
		}
		g, err := servers.open(ctx, l, sh)
		groups = append(groups, g)
		if err != nil {
			return fmt.Errorf("%s, %v: %w", l.name, sh, err)
		}
	}
	for round := range r.rounds {
		fmt.Fprintf(os.Stderr, "\r%v: round %d of %d ", sh, round+1, r.rounds)
		for k := range groups {
			g := groups[(round+k)%len(groups)]
			m, err := g.contend(r.window)
			if err != nil {
				return fmt.Errorf("%s, %v: %w", g.lock, sh, err)
			}
			c := cell{g.lock, sh}
			r.cells[c] = append(r.cells[c], m.result(sh.Processes*sh.Clients, r.window))
		}
	}
	fmt.Fprintln(os.Stderr)
	return nil
}
