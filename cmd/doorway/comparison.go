package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/measure"
)

// write writes the table for people.
func (x *comparison) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, %s\nCritical section: %s. Medians of %s of %.3g ms, interleaved.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version(), x.sectionText(), x.windows(), milliseconds(x.window))
	for _, t := range x.tables() {
		t.write(&b)
		b.WriteString("\n")
	}
	b.WriteString(x.legend())
	if len(x.costReport.Rows) > 0 {
		b.WriteString("\n")
		x.costReport.writeTo(&b, x.limit)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (x *comparison) windows() string {
	switch {
	case !x.interrupted:
		return fmt.Sprintf("%d windows", x.rounds)
	case x.rounds == 0:
		return "one window"
	default:
		return fmt.Sprintf("up to %d windows", x.rounds+1)
	}
}

func (x *comparison) sectionText() string {
	if x.section == 0 {
		return "one addition"
	}
	return x.section.String()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// A group is a group of columns behind the names of the locks.
type group struct {
	heading string
	columns []string                   // their headings
	cell    func(k, column int) string // of subject k
}

// in returns the group of a figure in some settings.
func in(chosen []setting, heading string, cell func(k, setting int) string) group {
	g := group{heading: heading, cell: func(k, column int) string { return cell(k, slices.Index(settings, chosen[column])) }}
	for _, c := range chosen {
		g.columns = append(g.columns, c.String())
	}
	return g
}

// tables returns the tables of speed and of waiting.
func (x *comparison) tables() []*table {
	var crowded []setting // with more goroutines than few
	for _, c := range settings {
		if c.goroutines > few {
			crowded = append(crowded, c)
		}
	}
	return []*table{
		x.table(
			group{"uncontended", []string{"direct", " Share"}, func(k, column int) string {
				ns := [][]float64{x.of[k].uncontended, x.of[k].shared}[column]
				return doubt(ns) + nanoseconds(ns)
			}},
			in(settings, "throughput", func(k, setting int) string {
				throughput := x.throughput(k, setting)
				return doubt(throughput) + ratio(throughput)
			}),
		),
		x.table(
			in(crowded, "p99.9", func(k, setting int) string { return latency(x.of[k].contended[setting].tail()) }),
			in(crowded, "CPU an entry", func(k, setting int) string { return latency(x.of[k].contended[setting].cpu) }),
			in(crowded, "min/max", func(k, setting int) string { return ratio(x.of[k].contended[setting].share) }),
		),
	}
}

// table returns a table: a line with the headings of the groups, one with those of
// the columns, the yardsticks, and the locks. Their order of entries is shown if there is
// room.
func (x *comparison) table(groups ...group) *table {
	t := &table{columns: []column{{}}, limit: x.limit}
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
	for k, s := range x.subjects {
		if k > 0 && x.subjects[k-1].yardstick != s.yardstick {
			t.add()
		}
		row := []string{s.name}
		for _, group := range groups {
			for column := range group.columns {
				row = append(row, group.cell(k, column))
			}
		}
		t.add(append(row, order(s.claims))...)
	}
	t.fit()
	first := 1
	for _, group := range groups {
		begins, _ := t.at(first)
		first += len(group.columns)
		_, ends := t.at(first - 1)
		t.title = pad(t.title, begins) + centred(" "+group.heading+" ", ends-begins)
	}
	return t
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-len(s)))
}

// centred is s in the middle of a rule of that width.
func centred(s string, width int) string {
	left := max(0, (width-len(s))/2)
	return strings.Repeat("-", left) + s + strings.Repeat("-", max(0, width-len(s)-left))
}

// legend explains the table and says how far its figures can be trusted.
func (x *comparison) legend() string {
	var b strings.Builder
	t := table{columns: []column{{}, {}}}
	var limited, fewer []string
	for _, s := range x.subjects {
		if s.max > 0 {
			limited = append(limited, fmt.Sprintf("%s is for %d processes", s.name, s.max))
			fewer = append(fewer, fmt.Sprintf("%s: %d", s.name, s.max))
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
	t.write(&b)
	b.WriteString("\n\"doorway list\" shows the source and the order of entries of each lock.\n")
	if x.interrupted {
		fmt.Fprintf(&b, "\nInterrupted after %d of %d rounds: a dash may be a figure that was not reached.\n", x.rounds, rounds)
	}
	return b.String()
}

// steady is how far from the median all windows lie, at most, where the median
// is shown without doubt; relative to it.
const steady = 0.25

// doubt is a mark before a median that is not steady.
func doubt(values []float64) string {
	if s := measure.SpreadOf(values); max(s.High-s.Median, s.Median-s.Low) > steady*s.Median {
		return "~"
	}
	return ""
}

// nanoseconds, ratio and latency write the median of the values, or a dash.
func nanoseconds(values []float64) string {
	return median(values, func(v float64) string {
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

func ratio(values []float64) string {
	return median(values, func(v float64) string {
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

func latency(values []float64) string {
	return median(values, func(v float64) string {
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

func median(values []float64, write func(float64) string) string {
	if len(values) == 0 {
		return "-"
	}
	return write(measure.SpreadOf(values).Median)
}

// figure is a Spread in JSON. Of so few rounds, its bounds are the lowest and
// the highest.
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

type comparisonJSON struct {
	Go          string         `json:"go"`
	OS          string         `json:"os"`
	Arch        string         `json:"arch"`
	CPUs        int            `json:"cpus"`
	Section     time.Duration  `json:"section_ns"`
	Rounds      int            `json:"rounds"`
	Window      time.Duration  `json:"window_ns"`
	Interrupted bool           `json:"interrupted"`
	Locks       []comparedJSON `json:"locks"`
	Messages    *costReport    `json:"messages,omitempty"`
}

type comparedJSON struct {
	Name           string          `json:"name"`
	Source         string          `json:"source"`
	Yardstick      bool            `json:"yardstick"`
	StarvationFree bool            `json:"starvation_free"`
	FIFO           bool            `json:"fifo"`
	Fast           bool            `json:"fast"`
	Uncontended    *figure         `json:"uncontended_ns"`
	Contended      []contendedJSON `json:"contended"`
	Shared         *sharedJSON     `json:"shared"`
}

type contendedJSON struct {
	Goroutines int     `json:"goroutines"`
	PerEntry   *figure `json:"ns_per_entry"`
	Throughput *figure `json:"relative_throughput"`
	P999       *figure `json:"p99_9_ns"`
	CPU        *figure `json:"cpu_ns_per_entry"`
	Share      *figure `json:"min_max_share"`
}

type sharedJSON struct {
	Processes   int             `json:"processes"`
	Uncontended *figure         `json:"uncontended_ns"`
	Contended   []contendedJSON `json:"contended"`
}

func (x *comparison) writeJSON(w io.Writer) error {
	out := comparisonJSON{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0),
		Section: x.section, Rounds: x.rounds, Window: x.window, Interrupted: x.interrupted,
	}
	for k, s := range x.subjects {
		row := comparedJSON{
			Name: s.name, Source: s.source, Yardstick: s.yardstick,
			StarvationFree: s.claims.StarvationFree, FIFO: s.claims.FIFO, Fast: s.claims.Fast,
			Uncontended: figureOf(x.of[k].uncontended),
		}
		if row.Shared = new(sharedJSON); !s.yardstick {
			row.Shared.Processes, row.Shared.Uncontended = s.usual(), figureOf(x.of[k].shared)
		}
		for i, setting := range settings {
			c := x.of[k].contended[i]
			figures := contendedJSON{
				setting.goroutines, figureOf(c.perEntry), figureOf(x.throughput(k, i)), figureOf(c.tail()), figureOf(c.cpu), figureOf(c.share),
			}
			if setting.shared {
				row.Shared.Contended = append(row.Shared.Contended, figures)
			} else {
				row.Contended = append(row.Contended, figures)
			}
		}
		out.Locks = append(out.Locks, row)
	}
	if len(x.costReport.Rows) > 0 {
		out.Messages = &x.costReport
	}
	return writeJSON(w, out)
}
