package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"example.org/doorway/internal/measure"
)

// write writes the table for people.
func (x *comparison) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, %s; critical section: %s; medians of %s of %.3g ms, taking turns\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.Version(), x.sectionText(), x.windows(), milliseconds(x.window))
	x.table().write(&b)
	b.WriteString("\n" + x.legend())
	if len(x.costReport.Rows) > 0 {
		b.WriteString("\n")
		x.costReport.writeTo(&b, columns)
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

// columnsOfLevel are how many columns each level has.
const columnsOfLevel = 4

// table returns the table: a line that says what the groups of columns are,
// one that names the columns, the yardsticks, and the locks.
func (x *comparison) table() *table {
	t := &table{columns: []column{{}, {}, {}, {right: true}}}
	names := []string{"lock", "source", "SFC", "alone"}
	for range levels {
		t.columns = append(t.columns, column{right: true, gap: 3}, column{right: true}, column{right: true}, column{right: true})
		names = append(names, "entry", "rate", "p99.9", "share")
	}
	t.add(names...)
	for k, s := range x.subjects {
		if k > 0 && x.subjects[k-1].yardstick != s.yardstick {
			t.add()
		}
		t.add(x.row(k)...)
	}
	title := ""
	for level, n := range levels {
		first := len(t.columns) - columnsOfLevel*(len(levels)-level)
		begins, _ := t.at(first)
		_, ends := t.at(first + columnsOfLevel - 1)
		title = pad(title, begins) + centred(fmt.Sprintf(" %d goroutines ", n), ends-begins)
	}
	t.title = title
	return t
}

func (x *comparison) row(k int) []string {
	s, m := x.subjects[k], x.of[k]
	cells := []string{s.name, s.source, promises(s.claims), doubt(m.alone) + nanoseconds(m.alone)}
	for level := range levels {
		c := m.contended[level]
		cells = append(cells, doubt(c.perEntry)+nanoseconds(c.perEntry), ratio(x.throughput(k, level)), latency(c.tail()), ratio(c.share))
	}
	return cells
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
			fewer = append(fewer, fmt.Sprintf("%s: of %d", s.name, s.max))
		}
	}
	except := ""
	if len(fewer) > 0 {
		except = " (" + strings.Join(fewer, ", ") + ")"
	}
	t.add("SFC", strings.TrimPrefix(legendOfPromises, "SFC: "))
	t.add("alone", fmt.Sprintf("ns of one Lock and Unlock where nobody else comes; one of %d processes%s", levels[0], except))
	t.add("entry", "ns from one entry to the next, whoever makes it; at least so many, if a window had no entry")
	t.add("rate", "entries a second, those of sync.Mutex in the same round being 1")
	t.add("p99.9", "how long 999 of 1000 calls of Lock took at most; a dash if a window timed fewer than 1000")
	t.add("share", "entries of the goroutine with the fewest to those of the one with the most; 1 is even")
	t.add("~", fmt.Sprintf("a window lies more than %.0f %% from this median; a longer -time helps", 100*steady))
	if len(limited) > 0 {
		t.add("-", strings.Join(limited, "; "))
	}
	t.write(&b)
	if x.interrupted {
		fmt.Fprintf(&b, "\nInterrupted after %d of %d rounds: a dash is a figure that was not reached.\n", x.rounds, rounds)
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
		case v >= 0.0005 && v < 0.00995:
			return fmt.Sprintf("%.3f", v)
		case v < 9.995:
			return fmt.Sprintf("%.2f", v)
		default:
			return fmt.Sprintf("%.1f", v)
		}
	})
}

func latency(values []float64) string {
	return median(values, func(v float64) string {
		for _, unit := range []string{"ns", "µs", "ms"} {
			switch {
			case v < 9.95 && unit != "ns":
				return fmt.Sprintf("%.1f %s", v, unit)
			case v < 999.5:
				return fmt.Sprintf("%.0f %s", v, unit)
			}
			v /= 1000
		}
		return fmt.Sprintf("%.1f s", v)
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
	Alone          *figure         `json:"alone_ns"`
	Contended      []contendedJSON `json:"contended"`
}

type contendedJSON struct {
	Goroutines int     `json:"goroutines"`
	PerEntry   *figure `json:"ns_per_entry"`
	Throughput *figure `json:"relative_throughput"`
	P999       *figure `json:"p99_9_ns"`
	Share      *figure `json:"min_max_share"`
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
			Alone: figureOf(x.of[k].alone),
		}
		for level, n := range levels {
			c := x.of[k].contended[level]
			row.Contended = append(row.Contended, contendedJSON{
				n, figureOf(c.perEntry), figureOf(x.throughput(k, level)), figureOf(c.tail()), figureOf(c.share),
			})
		}
		out.Locks = append(out.Locks, row)
	}
	if len(x.costReport.Rows) > 0 {
		out.Messages = &x.costReport
	}
	return writeJSON(w, out)
}
