// Command report judges the mutants of the algorithms and prints the outcomes:
//
//	go run ./internal/proof/mutants/report [-nodes] [-v] [-list] [-trace] [-keep dir] [word ...]
//
// It prints the mutants that were not killed, and with -v all of them. With words it
// judges and prints only mutants whose description has all of the words; with -trace
// it adds the schedules in which they fail. It must be run in the directory of the module.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/proof/mutants"
)

var (
	verbose = flag.Bool("v", false, "print all mutants, not only those that were not killed")
	trace   = flag.Bool("trace", false, "print the schedules in which mutants fail")
	list    = flag.Bool("list", false, "print the mutants, and judge none")
	nodes   = flag.Bool("nodes", false, "judge the mutants of nodes, not of locks")
	keep    = flag.String("keep", "", "leave the program and its source in this directory")
)

func main() {
	flag.Parse()
	if err := run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, words []string) error {
	all, ofNodes, err := mutants.All(".")
	if err != nil {
		return err
	}
	if *nodes {
		all = ofNodes
	}
	all = slices.DeleteFunc(all, func(m mutants.Mutant) bool {
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(m.String(), word) })
	})
	if *list {
		for _, m := range all {
			fmt.Printf("%s\n\t- %s\n\t+ %s\n", m, m.Before, m.After)
		}
		return nil
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "mutants"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	start := time.Now()
	p, err := mutants.Build(ctx, ".", dir, all, *trace)
	if err != nil {
		return err
	}
	fmt.Printf("%d mutants, compiled in %.1f s\n\n", len(all), time.Since(start).Seconds())
	start = time.Now()
	outcomes, err := p.Judge(ctx, all)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if *verbose || len(words) > 0 || o.Verdict != mutants.Killed {
			fmt.Println(o)
			if *trace && o.Result.Trace != "" {
				fmt.Printf("\n%s\n", o.Result.Trace)
			}
		}
	}
	fmt.Printf("\n%s", mutants.Table(outcomes))
	if len(words) == 0 && !*nodes {
		fmt.Println()
		found := p.Broken(ctx, "")
		for _, name := range slices.Sorted(maps.Keys(found)) {
			fmt.Printf("broken variant %s, %s\n", name, mutants.Why(found[name]))
		}
	}
	fmt.Printf("\njudged in %.1f s\n", time.Since(start).Seconds())
	return nil
}
