// Growth measures in the simulator how the messages and the delay of the message-passing
// algorithms grow with the number of nodes, from 4 to 100,000, at low and at high load. It
// writes the measured data, growth.json, and charts. A test makes the table of docs/which-algorithm.md.
//
// Usage:
//
//	go run ./bench/growth -report docs [algorithm ...]
//
// It takes some minutes; progress goes to the standard error. Seeds are fixed,
// so it measures the same figures each time. If algorithms are named, only these are
// measured; the others keep what growth.json has of them. Run go generate ./bench/growth after it, which
// measures nothing, and makes all that is made from growth.json.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/measure/jsonfile"
)

// most is the largest number of nodes.
const most = 100_000

func main() {
	report := flag.String("report", "", "write growth.json and charts to this `directory`")
	flag.Parse()
	if *report == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*report, flag.Args(), log.New(os.Stderr, "", log.Ltime)); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// run measures the algorithms of those names, or all, and writes what it finds to dir.
func run(dir string, names []string, progress *log.Logger) error {
	chosen, p, err := choose(dir, names)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(int64(costs.Grown.Memory))
	start, total := time.Now(), 0
	for _, a := range chosen {
		for _, l := range []costs.Load{costs.Low, costs.High} {
			c, delivered := costs.Grown.Curve(a, l, p.Sizes)
			p.put(c)
			total += delivered
			progress.Printf("%s at %s load: %d points, %d deliveries; %s", a.Name, l, len(c.Nodes), delivered, cmp.Or(ends(c), "to the end"))
		}
	}
	took := time.Since(start)
	progress.Printf("%d deliveries in %v, %.3g million a second", total, took.Round(time.Second), float64(total)/1e6/took.Seconds())
	if err := jsonfile.Write(filepath.Join(dir, dataFile), p); err != nil {
		return err
	}
	return draw(dir)
}

// choose returns the algorithms of those names, and the page without what is measured of
// them; without names, all, and an empty page.
func choose(dir string, names []string) ([]catalog.Protocol, page, error) {
	p := page{Sizes: costs.Sizes(most)}
	if len(names) == 0 {
		return catalog.Protocols, p, nil
	}
	var chosen []catalog.Protocol
	for _, name := range names {
		k := slices.IndexFunc(catalog.Protocols, func(a catalog.Protocol) bool { return a.Name == name })
		if k < 0 {
			return nil, page{}, fmt.Errorf("%s is no algorithm: go run ./cmd/doorway list shows them", name)
		}
		chosen = append(chosen, catalog.Protocols[k])
	}
	p, err := read(dir)
	return chosen, p, err
}
