// Command machines compares the lock of package engine over NATS with a bare lock server and with other
// distributed locks, on this machine's loopback: real servers, one or more processes of clients.
//
//	go run .                              all locks, two tables
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
	rounds := flag.Int("rounds", 15, "how often each lock is measured")
	window := flag.Duration("window", 400*time.Millisecond, "for how long")
	only := flag.String("only", "", "only locks that this expression matches")
	update := flag.Bool("update", false, "write the tables into README.md")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "machines: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*rounds, *window, *only, *update); err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func run(rounds int, window time.Duration, only string, update bool) error {
	if rounds < 1 || window < 10*time.Millisecond {
		return fmt.Errorf("%d rounds of %v: there must be at least 1, of at least 10ms", rounds, window)
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := measure(ctx, rounds, window, wanted)
	if err != nil {
		return err
	}
	text := r.text()
	fmt.Print(text)
	if update {
		return write("README.md", text)
	}
	return nil
}

// measure starts the servers, and measures all locks that are wanted.
func measure(ctx context.Context, rounds int, window time.Duration, wanted *regexp.Regexp) (*report, error) {
	servers, err := start(ctx)
	if err != nil {
		return nil, err
	}
	defer servers.stop()
	r := &report{rounds: rounds, window: window, versions: servers.versions, cells: map[cell][]measurement{}}
	for _, sh := range shapes {
		if err := r.shape(ctx, servers, sh, wanted); err != nil {
			return nil, err
		}
	}
	r.stalls, err = stalls(ctx, servers, rounds)
	return r, err
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
		if err != nil {
			return fmt.Errorf("%s, %v: %w", l.name, sh, err)
		}
		groups = append(groups, g)
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
			r.cells[c] = append(r.cells[c], m)
		}
	}
	fmt.Fprintln(os.Stderr)
	return nil
}
