// Compare measures the locks of this library beside their twins in C, window by
// window in turn, and prints two Markdown tables, for the script bench/c/run.
//
// Usage:
//
//	go run ./bench/c/compare -twins program [-compiler text] [-windows 301] [-duration 1ms]
//
// The program is what bench/c/*.c compile to, and the text describes how.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// An effort is how much to measure.
type effort struct {
	windows int
	window  time.Duration // uncontended; those of two processes are twenty times as long, and a third as many
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	program := flag.String("twins", "", "`program` that measures the twins")
	compiler := flag.String("compiler", "", "`text` that describes how it was compiled")
	var e effort
	flag.IntVar(&e.windows, "windows", 301, "`pairs` of windows for an uncontended row")
	flag.DurationVar(&e.window, "duration", time.Millisecond, "length of such a window")
	flag.Parse()
	if flag.NArg() > 0 || *program == "" || e.windows < 1 || e.window <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	c, err := startTwins(*program)
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	writePage(&page, c, *compiler, e)
	if err := c.stop(); err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(page.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// The sizes of each lock; peterson is for two processes.
var (
	names         = []string{"peterson", "tournament", "lamportfast", "bakery", "bakery-classic", "bakery-blackwhite"}
	uncontended   = []int{2, 8, 64}
	twoProcesses  = []int{2, 8}
	columns       = "\n| lock | n | Go | C | Go / C |\n|---|---:|---:|---:|---:|\n"
	pinned        = map[bool]string{true: "pinned to a processor each", false: "not pinned: this system does not let them be"}
	pairs, length = 3, 20
)

func writePage(w *bytes.Buffer, c *twins, compiler string, e effort) {
	fmt.Fprintf(w, "# Measured\n\n%s; %s, %s/%s, %d CPUs. A figure is the median, with the 10th and 90th\npercentiles.\n",
		compiler, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())

	fmt.Fprintf(w, "\n## Uncontended\n\nNanoseconds of an entry and exit of process 0, in %d pairs of windows of %v.\n%s", e.windows, e.window, columns)
	each(uncontended, func(a catalog.Algorithm, n int) {
		r := measure.Compare(e.windows,
			func() float64 { return alone(a.New(n), e.window) },
			func() float64 { return c.ask("alone %s %d %d", a.Name, n, e.window) })
		fmt.Fprintf(w, "| %s | %d | %v | %v | %v |\n", a.Name, n, r.A, r.B, r.Ratio)
	})

	windows, window := max(1, e.windows/pairs), time.Duration(length)*e.window
	threads := pinned[c.ask("pinned") == 1]
	fmt.Fprintf(w, "\n## Two processes\n\nMillions of entries per second of processes 0 and 1 together, in %d pairs of windows of %v. The threads of\nC are %s; in Go they are goroutines.\n%s", windows, window, threads, columns)
	each(twoProcesses, func(a catalog.Algorithm, n int) {
		r := measure.Compare(windows,
			func() float64 { return pair(a.New(n), window) / 1e6 },
			func() float64 { return c.ask("pair %s %d %d", a.Name, n, window) / 1e6 })
		fmt.Fprintf(w, "| %s | %d | %v | %v | %v |\n", a.Name, n, r.A, r.B, r.Ratio)
	})
}

// each calls measure for each lock and each size that it serves.
func each(sizes []int, measure func(a catalog.Algorithm, n int)) {
	for _, name := range names {
		a, ok := catalog.Find(name)
		if !ok {
			panic("compare: no lock " + name)
		}
		for _, n := range sizes {
			if a.For(n) {
				measure(a, n)
			}
		}
	}
}

// alone returns the nanoseconds of an entry and exit of process 0, as the twins do.
func alone(m mutex.Mutex, d time.Duration) float64 {
	const batch = 512
	guarded := 0
	return measure.Each(batch, d, func() { rounds(m, 0, batch, &guarded) })
}

// rounds is not inlined, so that no compiler sees which lock it is given.
//
//go:noinline
func rounds(m mutex.Mutex, i, n int, guarded *int) {
	for range n {
		m.Lock(i)
		*guarded++
		m.Unlock(i)
	}
}

// pair returns the entries per second of processes 0 and 1 together, as the twins do.
func pair(m mutex.Mutex, d time.Duration) float64 {
	type line [64]byte
	var shared struct {
		guarded int
		_       line
		over    atomic.Bool
		_       line
	}
	var entries [2]int
	var done sync.WaitGroup
	begin := make(chan struct{})
	for i := range entries {
		done.Go(func() {
			<-begin
			n := 0
			for ; !shared.over.Load(); n++ {
				rounds(m, i, 1, &shared.guarded)
			}
			entries[i] = n
		})
	}
	start := time.Now()
	close(begin)
	time.Sleep(d)
	shared.over.Store(true)
	took := time.Since(start)
	done.Wait()
	return float64(entries[0]+entries[1]) / took.Seconds()
}
