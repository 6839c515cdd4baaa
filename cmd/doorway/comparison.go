package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"example.org/doorway/internal/measure"
)

// A comparison is what doorway compare measures, and has measured so far, for machines and for people.
type comparison struct {
	Go          string        `json:"go"`
	OS          string        `json:"os"`
	Arch        string        `json:"arch"`
	CPUs        int           `json:"cpus"`
	Section     time.Duration `json:"section_ns"`
	Rounds      int           `json:"rounds"`    // finished
	Window      time.Duration `json:"window_ns"` // of each measurement under contention; half of it uncontended
	Interrupted bool          `json:"interrupted"`
	Locks       []compared    `json:"locks"`
	Messages    *costReport   `json:"messages,omitempty"`
}

// A compared is a lock. Of a yardstick, nothing is measured through mutex.Share.
type compared struct {
	of             subject
	Name           string       `json:"name"`
	Source         string       `json:"source"`
	Yardstick      bool         `json:"yardstick"`
	StarvationFree bool         `json:"starvation_free"`
	FIFO           bool         `json:"fifo"`
	Fast           bool         `json:"fast"`
	Uncontended    samples      `json:"uncontended_ns"`
	Contended      []figures    `json:"contended"`
	Shared         throughShare `json:"shared"`
}

type throughShare struct {
	Processes   int       `json:"processes"`
	Uncontended samples   `json:"uncontended_ns"`
	Contended   []figures `json:"contended"`
}

// figures are those of a lock in a setting.
type figures struct {
	Goroutines int     `json:"goroutines"`
	PerEntry   samples `json:"ns_per_entry"` // of every round
	Throughput samples `json:"relative_throughput"`
	P999       samples `json:"p99_9_ns"`
	CPU        samples `json:"cpu_ns_per_entry"`
	Share      samples `json:"min_max_share"`
}

func (c *compared) in(setting int) *figures {
	if n := len(c.Contended); setting >= n {
		return &c.Shared.Contended[setting-n]
	}
	return &c.Contended[setting]
}

// samples are the values of a figure, one for each round that has reached it. To machines they are
// a spread. Of so few rounds, its bounds are the lowest and the highest.
type samples []float64

func (s samples) MarshalJSON() ([]byte, error) {
	if len(s) == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(measure.SpreadOf(s))
}

// text returns the comparison with tables at most as wide as limit.
func (x *comparison) text(limit int) string {
	section := "one addition"
	if x.Section > 0 {
		section = x.Section.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, %s\nCritical section: %s. Medians of %s of %.3g ms, interleaved.\n\n",
		x.OS, x.Arch, x.CPUs, x.Go, section, x.windows(), float64(x.Window)/float64(time.Millisecond))
	for _, groups := range x.groups() {
		b.WriteString(x.table(limit, groups...) + "\n")
	}
	b.WriteString(x.legend())
	if x.Messages != nil {
		b.WriteString("\n" + x.Messages.text(limit))
	}
	return b.String()
}

func (x *comparison) windows() string {
	switch {
	case !x.Interrupted:
		return fmt.Sprintf("%d windows", x.Rounds)
	case x.Rounds == 0:
		return "one window"
	default:
		return fmt.Sprintf("up to %d windows", x.Rounds+1)
	}
}

// A group is a group of columns behind the names of the locks.
type group struct {
	heading string
	columns []string // their headings
	cell    func(c compared, column int) string
}

// in returns a group of the settings with so many goroutines or more.
func in(heading string, least int, cell func(f *figures) string) group {
	var of []int
	g := group{heading: heading, cell: func(c compared, column int) string { return cell(c.in(of[column])) }}
	for i, c := range settings {
		name := fmt.Sprint(c.goroutines)
		if c.shared {
			name = "S" + name
		}
		if c.goroutines >= least {
			of, g.columns = append(of, i), append(g.columns, name)
		}
	}
	return g
}

func (x *comparison) groups() [][]group {
	return [][]group{
		{
			{"uncontended", []string{"direct", " Share"}, func(c compared, column int) string {
				ns := []samples{c.Uncontended, c.Shared.Uncontended}[column]
				return ns.doubt() + ns.nanoseconds()
			}},
			in("throughput", 0, func(f *figures) string { return f.Throughput.doubt() + f.Throughput.ratio() }),
		},
		{
			in("p99.9", few+1, func(f *figures) string { return f.P999.latency() }),
			in("CPU an entry", few+1, func(f *figures) string { return f.CPU.latency() }),
			in("min/max", few+1, func(f *figures) string { return f.Share.ratio() }),
		},
	}
}

// table returns a table: a line with the headings of the groups, one with those of
// the columns, the yardsticks, and the locks. Their order of entries is shown if there is
// room.
func (x *comparison) table(limit int, groups ...group) string {
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
	for k, c := range x.Locks {
		if k > 0 && x.Locks[k-1].Yardstick != c.Yardstick {
			t.add()
		}
		row := []string{c.Name}
		for _, group := range groups {
			for column := range group.columns {
				row = append(row, group.cell(c, column))
			}
		}
		t.add(append(row, order(c.FIFO, c.StarvationFree))...)
	}
	t.fit()
	title, first := "", 1
	for _, group := range groups {
		begins, _ := t.at(first)
		first += len(group.columns)
		_, ends := t.at(first - 1)
		title = fmt.Sprintf("%-*s%s", begins, title, centred(" "+group.heading+" ", ends-begins))
	}
	return title + "\n" + t.String()
}

// centred is s in the middle of a rule of that width.
func centred(s string, width int) string {
	left := max(0, (width-len(s))/2)
	return strings.Repeat("-", left) + s + strings.Repeat("-", max(0, width-len(s)-left))
}

// legend explains the tables and says how far their figures can be trusted.
func (x *comparison) legend() string {
	var limited, fewer []string
	for _, c := range x.Locks {
		if c.of.max > 0 {
			limited = append(limited, fmt.Sprintf("%s is for %d processes", c.Name, c.of.max))
			fewer = append(fewer, fmt.Sprintf("%s: %d", c.Name, c.of.max))
		}
	}
	processes := fmt.Sprintf("%d processes", few)
	if len(fewer) > 0 {
		processes += " (" + strings.Join(fewer, ", ") + ")"
	}
	var t table
	t.add("uncontended", "ns for Lock and Unlock while no other goroutine uses the lock")
	t.add("throughput", "entries per second, relative to sync.Mutex in the same round")
	t.add("p99.9", "99.9th percentile of the time that Lock takes")
	t.add("min/max", "entries of the goroutine with the fewest, divided by those of the goroutine with the most: 1 is even, 0 is starvation")
	t.add("CPU an entry", "CPU time of the program and of the system for it, divided by the entries")
	t.add("direct", "one goroutine, which is one of "+processes)
	t.add("Share", "one goroutine, through mutex.Share over "+processes)
	t.add("8, 64", "that many goroutines, one per process")
	t.add("S8, S64, S512", "that many goroutines, through mutex.Share over "+processes+"; the peers without it")
	t.add("~", fmt.Sprintf("a window is more than %.0f %% from this median; a longer -time helps", 100*steady))
	t.add("-", strings.Join(append(limited, "peers that spin are left out of S8, S64 and S512", "p99.9 needs 1000 timed calls in every window"), "; "))
	text := t.String() + "\n\"doorway list\" shows the source and the order of entries of each lock.\n"
	if x.Interrupted {
		const interrupted = "\nInterrupted after %d of %d rounds: a dash may be a figure that was not reached.\n"
		text += fmt.Sprintf(interrupted, x.Rounds, rounds)
	}
	return text
}

// steady is how far from the median all windows lie, at most, where the median
// is shown without doubt; relative to it.
const steady = 0.25

// doubt is a mark before a median that is not steady.
func (s samples) doubt() string {
	if len(s) > 0 {
		if of := measure.SpreadOf(s); max(of.High-of.Median, of.Median-of.Low) > steady*of.Median {
			return "~"
		}
	}
	return ""
}

// median writes the median, or a dash.
func (s samples) median(write func(float64) string) string {
	if len(s) == 0 {
		return "-"
	}
	return write(measure.SpreadOf(s).Median)
}

// decimals writes v with a digit after the point for each limit from the first on that it is below.
func decimals(v float64, limits ...float64) string {
	for len(limits) > 0 && v >= limits[0] {
		limits = limits[1:]
	}
	return fmt.Sprintf("%.*f", len(limits), v)
}

func (s samples) nanoseconds() string {
	return s.median(func(v float64) string {
		if v >= 99_999.5 {
			return fmt.Sprintf("%.0fk", v/1000)
		}
		return decimals(v, 99.95)
	})
}

func (s samples) ratio() string {
	return s.median(func(v float64) string { return decimals(v, 9.995, 99.95) })
}

func (s samples) latency() string {
	return s.median(func(v float64) string {
		if v < 999.5 {
			return fmt.Sprintf("%.0fns", v)
		}
		for _, unit := range []string{"µs", "ms"} {
			if v /= 1000; v < 999.5 {
				return decimals(v, 9.95) + unit
			}
		}
		return fmt.Sprintf("%.1fs", v/1000)
	})
}
