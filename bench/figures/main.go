// Figures measures what the library sets out to reach, and prints it as a
// table in Markdown: the median of how many windows, between what bounds eight
// out of ten of them lay, and whether the goal is reached. All ratios are of
// windows that alternate, in one run. With -report it writes the page of
// results too, with tables over the number of goroutines and plots.
//
// Usage:
//
//	go run ./bench/figures [-windows 41] [-duration 50ms] [-report docs]
//
// It takes about three and a half minutes, and one more with -report; progress
// goes to the standard error. Let nothing else run meanwhile.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	var e effort
	flag.IntVar(&e.windows, "windows", 41, "`pairs` of windows for each ratio of throughputs; the other rows have more or fewer in proportion")
	flag.DurationVar(&e.window, "duration", 50*time.Millisecond, "how long a window of throughput takes; those of the other rows are shorter or longer in proportion")
	report := flag.String("report", "", "write results.md and its plots to this `directory`")
	flag.Parse()
	if flag.NArg() > 0 || e.windows < 1 || e.window <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(e, *report, os.Stdout, log.New(os.Stderr, "", 0)); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(e effort, dir string, out io.Writer, progress *log.Logger) error {
	start := time.Now()
	figures := measureAll(rows(), e, progress)
	var table bytes.Buffer
	writeFigures(&table, figures)
	if _, err := out.Write(table.Bytes()); err != nil {
		return err
	}
	if dir == "" {
		return nil
	}
	p := page{
		command: strings.Join(append([]string{"go run ./bench/figures"}, os.Args[1:]...), " "),
		machine: describeMachine(),
		date:    start,
		effort:  e,
		figures: figures,
		alone:   uncontended(e, progress),
		sweep:   sweep(e, progress),
	}
	p.took = time.Since(start)
	for name, content := range p.files() {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
