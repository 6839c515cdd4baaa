// Figures measures the library against its goals and prints a Markdown table:
// for each goal the median of several windows, their 10th and 90th percentiles,
// and whether the goal is reached. Each ratio compares alternating windows of one
// run. With -report it also writes the page of results, with tables and charts
// over the number of goroutines, and the measured data, results.json.
//
// Usage:
//
//	go run ./bench/figures [-windows 41] [-duration 50ms] [-report docs]
//
// It takes about five minutes, and four more with -report; progress goes
// to the standard error. Run nothing else meanwhile. Go generate ./bench/figures measures nothing, and makes the page
// and its charts from results.json.
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

	"example.org/doorway/internal/measure/jsonfile"
)

func main() {
	var e effort
	flag.IntVar(&e.Windows, "windows", 41, "`pairs` of windows for each ratio of throughputs; other rows have more or fewer in proportion")
	flag.DurationVar(&e.Window, "duration", 50*time.Millisecond, "length of a window of throughput; other windows are shorter or longer in proportion")
	report := flag.String("report", "", "also write results.md, its charts and results.json to this `directory`")
	flag.Parse()
	if flag.NArg() > 0 || e.Windows < 1 || e.Window <= 0 {
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
	all := plan{e, map[[2]int64]*contest{}}
	figures := measureAll(all.rows(), progress)
	var table bytes.Buffer
	writeFigures(&table, figures)
	if _, err := out.Write(table.Bytes()); err != nil {
		return err
	}
	if dir == "" {
		return nil
	}
	p := page{
		Command:     strings.Join(append([]string{"go run ./bench/figures"}, os.Args[1:]...), " "),
		Machine:     describeMachine(),
		Date:        start,
		Effort:      e,
		Choice:      all.choice(progress),
		Figures:     figures,
		Uncontended: uncontended(e, progress),
		Costs:       fmt.Sprintf("%d windows of %v", e.Windows, e.Window/10),
		Sweep:       sweep(e, progress),
	}
	p.Took = time.Since(start)
	if err := jsonfile.Write(filepath.Join(dir, dataFile), p); err != nil {
		return err
	}
	return draw(dir)
}
