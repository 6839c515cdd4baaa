package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
)

// A comparisonReport is what doorway compare has measured, for machines and for people.
type comparisonReport struct {
	Go          string        `json:"go"`
	OS          string        `json:"os"`
	Arch        string        `json:"arch"`
	CPUs        int           `json:"cpus"`
	Section     time.Duration `json:"section_ns"`
	Rounds      int           `json:"rounds"`
	Window      time.Duration `json:"window_ns"`
	Interrupted bool          `json:"interrupted"`
	Locks       []compared    `json:"locks"`
	Messages    *costReport   `json:"messages,omitempty"`
}

// A compared is a lock. Of a yardstick, nothing is measured through mutex.Share.
type compared struct {
	max            int          // processes; 0: any number
	Name           string       `json:"name"`
	Source         string       `json:"source"`
	Yardstick      bool         `json:"yardstick"`
	StarvationFree bool         `json:"starvation_free"`
	FIFO           bool         `json:"fifo"`
	Fast           bool         `json:"fast"`
	Uncontended    *figure      `json:"uncontended_ns"`
	Contended      []figures    `json:"contended"`
	Shared         throughShare `json:"shared"`
}

type throughShare struct {
	Processes   int       `json:"processes"`
	Uncontended *figure   `json:"uncontended_ns"`
	Contended   []figures `json:"contended"`
}

// figures are those of a lock in a setting.
type figures struct {
	Goroutines int     `json:"goroutines"`
	PerEntry   *figure `json:"ns_per_entry"`
	Throughput *figure `json:"relative_throughput"`
	P999       *figure `json:"p99_9_ns"`
	CPU        *figure `json:"cpu_ns_per_entry"`
	Share      *figure `json:"min_max_share"`
}

// A figure is a Spread. Of so few rounds, its bounds are the lowest and the highest.
type figure struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

func figureOf(values []float64) *figure {
	if len(values) == 0 {
		return nil
	}
	s := measure.SpreadOf(values)
	return &figure{s.Low, s.Median, s.High}
}

func (x *comparison) report() comparisonReport {
	r := comparisonReport{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0),
		Section: x.section, Rounds: x.rounds, Window: x.window, Interrupted: x.interrupted,
	}
	for k, s := range x.subjects {
		row := compared{
			max: s.max, Name: s.name, Source: s.source, Yardstick: s.kind == peer,
			StarvationFree: s.claims.StarvationFree, FIFO: s.claims.FIFO, Fast: s.claims.Fast,
			Uncontended: figureOf(x.of[k].uncontended),
		}
		if s.kind != peer {
			row.Shared.Processes, row.Shared.Uncontended = s.usual(), figureOf(x.of[k].shared)
		}
		for i, setting := range settings {
			c := x.of[k].contended[i]
			f := figures{
				setting.goroutines, figureOf(c.perEntry), figureOf(x.throughput(k, i)), figureOf(c.tail()), figureOf(c.cpu), figureOf(c.share),
			}
			if setting.shared {
				row.Shared.Contended = append(row.Shared.Contended, f)
			} else {
				row.Contended = append(row.Contended, f)
			}
		}
		r.Locks = append(r.Locks, row)
	}
	if len(x.costReport.Rows) > 0 {
		r.Messages = &x.costReport
	}
	return r
}

// text returns the report with tables at most as wide as limit.
func (r comparisonReport) text(limit int) string {
	section := "one addition"
	if r.Section > 0 {
		section = r.Section.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, %s\nCritical section: %s. Medians of %s of %.3g ms, interleaved.\n\n",
		r.OS, r.Arch, r.CPUs, r.Go, section, r.windows(), float64(r.Window)/float64(time.Millisecond))
	for _, groups := range r.groups() {
		t := r.table(limit, groups...)
		t.write(&b)
		b.WriteString("\n")
	}
	r.writeLegend(&b)
	if r.Messages != nil {
		b.WriteString("\n" + r.Messages.text(limit))
	}
	return b.String()
}

func (r comparisonReport) windows() string {
	switch {
	case !r.Interrupted:
		return fmt.Sprintf("%d windows", r.Rounds)
	case r.Rounds == 0:
		return "one window"
	default:
		return fmt.Sprintf("up to %d windows", r.Rounds+1)
	}
}

// A group is a group of columns behind the names of the locks.
type group struct {
	heading string
	columns []string // their headings
	cell    func(c compared, column int) string
}

// groups returns those of the table of speed, and of that of waiting.
func (r comparisonReport) groups() [][]group {
	in := func(heading string, least int, cell func(f figures) string) group { // in the settings with so many goroutines
		g := group{heading: heading}
		var of []int
		for i, c := range settings {
			if c.goroutines >= least {
				of, g.columns = append(of, i), append(g.columns, c.String())
			}
		}
		g.cell = func(c compared, column int) string {
			return cell(slices.Concat(c.Contended, c.Shared.Contended)[of[column]])
		}
		return g
	}
	return [][]group{
		{
			{"uncontended", []string{"direct", " Share"}, func(c compared, column int) string {
				ns := []*figure{c.Uncontended, c.Shared.Uncontended}[column]
				return doubt(ns) + nanoseconds(ns)
			}},
			in("throughput", 0, func(f figures) string { return doubt(f.Throughput) + ratio(f.Throughput) }),
		},
		{
			in("p99.9", few+1, func(f figures) string { return latency(f.P999) }),
			in("CPU an entry", few+1, func(f figures) string { return latency(f.CPU) }),
			in("min/max", few+1, func(f figures) string { return ratio(f.Share) }),
		},
	}
}

// table returns a table: a line with the headings of the groups, one with those of
// the columns, the yardsticks, and the locks. Their order of entries is shown if there is
// room.
func (r comparisonReport) table(limit int, groups ...group) *table {
	t := &table{columns: []column{{}}, limit: limit}
	names := []string{"lock"}
	for g, group := range groups {
		for k, name := range group.columns {
			c := column{right: true, gap: 1}
			if k == 0 {
				c.gap = min(2+g, 3)
			}
			t.columns = append(t.columns, c)
			names = append(names, fmt.Sprintf("%5s", name))
		}
	}
	t.columns = append(t.columns, column{extra: true})
	t.add(append(names, "order")...)
	for k, c := range r.Locks {
		if k > 0 && r.Locks[k-1].Yardstick != c.Yardstick {
			t.add()
		}
		row := []string{c.Name}
		for _, group := range groups {
			for column := range group.columns {
				row = append(row, group.cell(c, column))
			}
		}
		t.add(append(row, order(catalog.Claims{FIFO: c.FIFO, StarvationFree: c.StarvationFree}))...)
	}
	t.fit()
	first := 1
	for _, group := range groups {
		begins, _ := t.at(first)
		first += len(group.columns)
		_, ends := t.at(first - 1)
		t.title = fmt.Sprintf("%-*s%s", begins, t.title, centred(" "+group.heading+" ", ends-begins))
	}
	return t
}

// centred is s in the middle of a rule of that width.
func centred(s string, width int) string {
	left := max(0, (width-len(s))/2)
	return strings.Repeat("-", left) + s + strings.Repeat("-", max(0, width-len(s)-left))
}

// writeLegend explains the table and says how far its figures can be trusted.
func (r comparisonReport) writeLegend(b *strings.Builder) {
	t := table{columns: []column{{}, {}}}
	var limited, fewer []string
	for _, c := range r.Locks {
		if c.max > 0 {
			limited = append(limited, fmt.Sprintf("%s is for %d processes", c.Name, c.max))
			fewer = append(fewer, fmt.Sprintf("%s: %d", c.Name, c.max))
		}
	}
	except := ""
	if len(fewer) > 0 {
		except = " (" + strings.Join(fewer, ", ") + ")"
	}
	t.add("uncontended", "ns for Lock and Unlock while no other goroutine uses the lock")
	t.add("throughput", "entries per second, relative to sync.Mutex in the same round")
	t.add("p99.9", "99.9th percentile of the time that Lock takes")
	t.add("min/max", "entries of the goroutine with the fewest, divided by those of the goroutine with the most: 1 is even, 0 is starvation")
	t.add("CPU an entry", "CPU time of the program and of the system for it, divided by the entries")
	t.add("direct", fmt.Sprintf("one goroutine, which is one of %d processes%s", few, except))
	t.add("Share", fmt.Sprintf("one goroutine, through mutex.Share over %d processes%s", few, except))
	t.add("8, 64", "that many goroutines, one per process")
	t.add("S8, S64, S512", fmt.Sprintf("that many goroutines, through mutex.Share over %d processes%s; the peers without it", few, except))
	t.add("~", fmt.Sprintf("a window is more than %.0f %% from this median; a longer -time helps", 100*steady))
	t.add("-", strings.Join(append(limited, "peers that spin are left out of S8, S64 and S512", "p99.9 needs 1000 timed calls in every window"), "; "))
	t.write(b)
	b.WriteString("\n\"doorway list\" shows the source and the order of entries of each lock.\n")
	if r.Interrupted {
		fmt.Fprintf(b, "\nInterrupted after %d of %d rounds: a dash may be a figure that was not reached.\n", r.Rounds, rounds)
	}
}

// steady is how far from the median all windows lie, at most, where the median
// is shown without doubt; relative to it.
const steady = 0.25

// doubt is a mark before a median that is not steady.
func doubt(f *figure) string {
	if f != nil && max(f.High-f.Median, f.Median-f.Low) > steady*f.Median {
		return "~"
	}
	return ""
}

// nanoseconds, ratio and latency write the median, or a dash.
func nanoseconds(f *figure) string {
	return median(f, func(v float64) string {
		switch {
		case v < 99.95:
			return fmt.Sprintf("%.1f", v)
		case v < 99_999.5:
			return fmt.Sprintf("%.0f", v)
		default:
			return fmt.Sprintf("%.0fk", v/1000)
		}
	})
}

func ratio(f *figure) string {
	return median(f, func(v float64) string {
		switch {
		case v < 9.995:
			return fmt.Sprintf("%.2f", v)
		case v < 99.95:
			return fmt.Sprintf("%.1f", v)
		default:
			return fmt.Sprintf("%.0f", v)
		}
	})
}

func latency(f *figure) string {
	return median(f, func(v float64) string {
		for _, unit := range []string{"ns", "µs", "ms"} {
			switch {
			case v < 9.95 && unit != "ns":
				return fmt.Sprintf("%.1f%s", v, unit)
			case v < 999.5:
				return fmt.Sprintf("%.0f%s", v, unit)
			}
			v /= 1000
		}
		return fmt.Sprintf("%.1fs", v)
	})
}

func median(f *figure, write func(float64) string) string {
	if f == nil {
		return "-"
	}
	return write(f.Median)
}
