// Command report judges the mutants of the algorithms and prints the outcomes:
//
//	go run ./internal/proof/mutants/report [-nodes] [-list] [word ...]
//
// It prints the mutants that were not killed. With words it judges only mutants whose description has
// all of the words, and prints all of these. It must be run in the directory of the module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/proof/mutants"
)

var (
	list  = flag.Bool("list", false, "print the mutants, and judge none")
	nodes = flag.Bool("nodes", false, "judge the mutants of nodes, not of locks")
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
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	start := time.Now()
	p, err := mutants.Build(ctx, ".", dir, all)
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
		if len(words) > 0 || o.Verdict != mutants.Killed {
			fmt.Println(o)
		}
	}
	fmt.Printf("\n%s\njudged in %.1f s\n", mutants.Table(outcomes), time.Since(start).Seconds())
	return nil
}
