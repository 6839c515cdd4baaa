//go:build !doorway_explore

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"

	"example.org/doorway/bakery"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/own"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

// Each file of testdata/session is what a terminal shows: command lines after a
// dollar sign, what they print, and their exit status.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no sessions")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, filepath.Join("session", filepath.Base(file)), session(t, page.Read(t, file)))
		})
	}
}

// Nodes that may be inside together are checked in pairs, and not shared.
func TestStressOfIntervals(t *testing.T) {
	shows(t, "stress intervals -n 4 -time 20ms", 0, "no violation, no lost update")
	stdout := shows(t, "stress intervals -n 4 -time 20ms -shared", 2, "-shared: some nodes of intervals may be inside together")
	assert.Empty(t, stdout)
}

func TestListHasEveryLock(t *testing.T) {
	text := shows(t, "list", 0)
	fits(t, "list", text)
	var l listing
	require.NoError(t, json.Unmarshal([]byte(shows(t, "list -json", 0)), &l))
	all := subjects(right, passing, wrong, leaving, printed, system)
	assert.Equal(t, newListing(all), l)
	assert.Len(t, all, len(l.Locks)+len(l.Messages)+len(l.Broken)+len(l.Printed)+len(l.Systems))
	for _, s := range all {
		assert.Contains(t, text, s.Name, "it is not listed")
	}
	for _, s := range l.Systems {
		assert.Contains(t, []string{"HOLD", "SEND", "TAKE", "READ"}, s.Messages[0], "the input of %s", s.Name)
	}
	for _, name := range []string{"bakery", "central", "bully", "lamportfast/want-first", "maekawa/late-failed"} {
		assert.NotContains(t, shows(t, "list -json "+name, 0), "null", "of %s, something is no array", name)
	}
}

// measurements are made up: two rounds, and what each lock came to.
func measurements() *comparison {
	swift := catalog.Claims{Fast: true}
	fair := catalog.Claims{StarvationFree: true, FIFO: true}
	entry := func(name, source string) catalog.Entry { return catalog.Entry{Name: name, Source: source} }
	x := newComparison([]subject{
		{Entry: entry("sync.Mutex", "Go"), kind: peer, claims: swift},
		{Entry: entry("channel", "Go, of capacity 1"), kind: peer, claims: fair},
		{Entry: entry("pair", "Unknown 2000"), claims: fair, max: 2},
		{Entry: entry("swift", "Unknown 2001"), claims: swift},
	}, 0, time.Second)
	x.Window, x.Rounds = 50*time.Millisecond, 2
	type window struct{ perEntry, p999, share float64 }
	for k, m := range []struct {
		direct, shared samples
		windows        [5]window
	}{
		{samples{10.04, 10.06}, nil, [5]window{{25, 12_000, 0.5}, {40, 2_340_000, 0.02}, {25, 12_000, 0.5}, {44, 1, 1}, {50, 99_000_000, 0}}},
		{samples{31, 60}, nil, [5]window{{171, 950, 1}, {250.4, 9_990, 0.975}, {171, 950, 1}, {250.4, 9_990, 0.975}, {}}},
		{samples{22, 22}, samples{33, 34}, [5]window{{}, {}, {60, 1234, 1}, {110, 123_456, 0.9}, {220, 1_234_567, 0.8}}},
		{samples{26, 26}, samples{37, 61}, [5]window{{2.4, 40, 0}, {123_456, 1.2e9, 0}, {44, 950, 0}, {88, 950, 0.004}, {90, 9_500_000, 0}}},
	} {
		x.Locks[k].Uncontended, x.Locks[k].Shared.Uncontended = m.direct, m.shared
		for i, w := range m.windows {
			if w.perEntry > 0 {
				*x.Locks[k].in(i) = figures{
					PerEntry: samples{w.perEntry, w.perEntry * 1.1}, P999: samples{w.p999, w.p999},
					CPU: samples{2 * w.perEntry}, Share: samples{w.share},
				}
			}
		}
	}
	x.relate()
	return x
}

func TestTable(t *testing.T) {
	_, table, _ := strings.Cut(measurements().text(80), "\n") // the first line says which machine this is
	golden(t, "table.txt", table)
}

// Of a round that was interrupted, the table shows what there is.
func TestInterruptedTable(t *testing.T) {
	x := measurements()
	x.Rounds, x.Interrupted = 0, true
	swift := &x.Locks[3]
	swift.Uncontended, swift.Contended, swift.Shared.Uncontended, swift.Shared.Contended = nil, make([]figures, 2), nil, make([]figures, 3)
	text := x.text(80)
	for _, part := range []string{
		" Medians of one window of 50 ms, ", "\nswift            -      -       -     -     -     -     -  none\n",
		"\nInterrupted after 0 of 5 rounds: a dash may be a figure that was not reached.\n",
	} {
		assert.Contains(t, text, part)
	}
	x.Rounds = 1
	assert.Contains(t, x.text(80), " up to 2 windows ")
}

// A window without entries keeps its place beside that of the yardstick, and a
// percentile is one only of enough.
func TestPoorWindows(t *testing.T) {
	window := func(entries uint64, timed int) measure.Result {
		return measure.Result{Entries: entries, Elapsed: time.Second, Latency: measure.Latency{P999: 7, Timed: timed}, MinMax: 0.5}
	}
	entry := func(name string) subject { return subject{Entry: catalog.Entry{Name: name}} }
	x := newComparison([]subject{entry(yardstick), entry("slow")}, 0, time.Second)
	fast, slow := x.Locks[0].in(0), x.Locks[1].in(0)
	for _, r := range []measure.Result{window(2, 999), window(1000, 1000), window(4, 4)} {
		fast.add(r)
	}
	for _, r := range []measure.Result{window(0, 0), window(500, 999), window(2, 0)} {
		slow.add(r)
	}
	assert.Len(t, fast.P999, 1, "percentiles of the fast")
	assert.Empty(t, slow.P999, "percentiles of the slow")
	assert.Len(t, slow.Share, 2, "shares of the slow")
	x.relate()
	assert.Equal(t, samples{0.5, 0.5, 0.5}, slow.Throughput, "throughput")
	assert.Empty(t, fast.P999)
}

// The real thing, in short: every lock of the catalog has its row.
func TestCompare(t *testing.T) {
	tier.NeedsFull(t, "measures every lock")
	stdout := shows(t, "-time 1s", 0)
	for _, s := range subjects(peer, right, passing) {
		assert.Contains(t, stdout, "\n"+s.Name+" ", "there is no row for %s", s.Name)
		if s.kind == peer {
			assert.NotEmpty(t, s.Source, "the source of %s", s.Name)
		}
	}
	assert.LessOrEqual(t, widest(stdout), 120, "columns of\n%s", stdout)
}

func TestCompareOnlySome(t *testing.T) {
	var got comparison
	require.NoError(t, json.Unmarshal([]byte(shows(t, "compare bakery -json -time 100ms -section 100ns", 0)), &got))
	require.Len(t, got.Locks, 2)
	assert.Equal(t, 100*time.Nanosecond, got.Section, "the critical section")
	assert.Equal(t, rounds, got.Rounds, "rounds")
	for k, name := range []string{yardstick, "bakery"} {
		l := got.Locks[k]
		assert.Equal(t, name, l.Name)
		assert.NotEmpty(t, l.Uncontended, "%s uncontended", name)
		assert.Equal(t, k*few, l.Shared.Processes, "processes of %s", name)
		all := slices.Concat(l.Contended, l.Shared.Contended)
		require.Len(t, all, len(settings), name)
		for i, c := range all {
			assert.Equal(t, settings[i].goroutines, c.Goroutines)
			assert.True(t, len(c.PerEntry)*len(c.Throughput)*len(c.CPU) > 0, "%s, %v goroutines", name, settings[i])
		}
	}
}

// UnmarshalJSON tells whether there are any.
func (s *samples) UnmarshalJSON(text []byte) error {
	*s = make(samples, strings.Count(string(text), "median"))
	return json.Unmarshal(text, new(measure.Spread))
}

// The shared figures are of mutex.Share over few processes; all others are of the lock itself.
func TestCompareMeasuresShare(t *testing.T) {
	type use struct {
		processes int
		share     bool // whether Lock is called through mutex.Share
	}
	for limit, want := range map[int][]use{
		0: {{8, false}, {8, true}, {8, false}, {64, false}, {8, true}, {8, true}, {8, true}},
		2: {{2, false}, {2, true}, {2, true}, {2, true}, {2, true}},
	} {
		var used []use
		x := newComparison([]subject{{Entry: catalog.Entry{Name: "watched"}, max: limit, new: func(n int) mutex.Mutex {
			return &watched{Mutex: bakery.New(n), entered: func() {
				buf := make([]byte, 1<<12)
				used = append(used, use{n, strings.Contains(string(buf[:runtime.Stack(buf, false)]), "mutex.(*Shared).Lock(")})
			}}
		}}}, 0, 10*time.Millisecond)
		c := &x.Locks[0]
		for pass := range 2 + len(settings) {
			x.measureOne(c, pass)()
		}
		assert.Equal(t, want, used, "locks, of %d processes at most", limit)
		assert.Len(t, c.Uncontended, 1, "windows uncontended")
		assert.Len(t, c.Shared.Uncontended, 1, "windows uncontended through Share")
		assert.Len(t, c.in(2).PerEntry, 1, "windows contended through Share")
	}
}

// watched calls entered after the first Lock.
type watched struct {
	mutex.Mutex
	entered func()
	once    sync.Once
}

func (w *watched) Lock(i int) { w.Mutex.Lock(i); w.once.Do(w.entered) }

func TestStress(t *testing.T) {
	var got struct{ Report stress.Report }
	// A busy machine may leave no time to enter.
	for d := 20 * time.Millisecond; got.Report.Entries == 0 && d < 10*time.Second; d *= 2 {
		line := "stress -n 3 bakery -shared -goroutines 5 -give-up 0.5 -json -time " + d.String()
		require.NoError(t, json.Unmarshal([]byte(shows(t, line, 0)), &got))
	}
	r := got.Report
	assert.Equal(t, []int{3, 5}, []int{r.Processes, r.Goroutines}, "processes and goroutines")
	assert.True(t, r.Shared, "shared")
}

func TestStressReports(t *testing.T) {
	lock := subject{Entry: catalog.Entry{Name: "bakery", Source: "Lamport 1974"}}
	fine, violated := stress.Report{Goroutines: 2, Entries: 10}, stress.Report{Goroutines: 2, Entries: 10, Violations: 1}
	first := `{"first_violation": {"entered": 1, "inside": [0], "call": 7, "after_ns": 1000000}}`
	require.NoError(t, json.Unmarshal([]byte(first), &violated))
	stuck := own.Explained(fmt.Errorf("stress: %w for 10s", stress.ErrStuck))
	for _, c := range []struct {
		report  stress.Report
		failure error
		status  int
		says    string
	}{
		{fine, nil, 0, ""},
		{violated, nil, 1, ""},
		{stress.Report{Goroutines: 2, Entries: 10, LostUpdates: 1}, nil, 1, ""},
		{stress.Report{Goroutines: 2, Unfinished: 2}, stuck, 1, "stress: no progress for 10s\n  a deadlock, or too much work for so many goroutines"},
	} {
		var out, stderr bytes.Buffer
		got := status((&trial{}).conclude(streams{out: &output{Writer: &out}, err: &stderr}, lock, &c.report, c.failure), &stderr)
		assert.Equal(t, c.status, got, "exit status of %v", c)
		assert.Equal(t, strings.TrimSpace("doorway "+c.says), cmp.Or(strings.TrimSpace(stderr.String()), "doorway"))
		fits(t, "stress", out.String())
		assert.Regexp(t, `\Alock +bakery \(Lamport 1974\)\nrun +2 goroutines`, out.String())

		out.Reset()
		got = status((&trial{}).conclude(streams{out: &output{Writer: &out}, err: &stderr, json: true}, lock, &c.report, c.failure), io.Discard)
		assert.Equal(t, c.status, got, "exit status of %v, in JSON", c)
		var j stressed
		require.NoError(t, json.Unmarshal(out.Bytes(), &j))
		assert.Equal(t, c.says, j.Error)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	commands := [][]string{{"list"}, {"list", "-json"}, {"help"}, {"help", "list"}, {"stress", "bakery", "-time", "1ms"}}
	if tier.Full {
		commands = append(commands, []string{"check", "peterson"})
	}
	for _, args := range commands {
		var stderr bytes.Buffer
		assert.Equal(t, 1, run(args, full{}, &stderr), "the exit status of %q", args)
		assert.Equal(t, "doorway: no space left\n", stderr.String(), "on stderr of %q", args)
	}
}

// What the README and the lectures have is what doorway costs shows.
func TestCosts(t *testing.T) {
	var got costReport
	require.NoError(t, json.Unmarshal([]byte(shows(t, "costs maekawa central -json", 0)), &got))
	assert.Equal(t, 13, got.Nodes, "nodes")
	require.Len(t, got.Rows, 2)
	assert.Equal(t, "central", got.Rows[0].Name)
	assert.Equal(t, "maekawa", got.Rows[1].Name)
	assert.Equal(t, costs.Figure{Claim: "3(K-1)", Least: 9, Most: 9, Measured: 9}, got.Rows[1].Alone, "maekawa alone")
	shows(t, "costs -n 1", 2, "from 2 to 100000")
	shows(t, "costs -n 100 ricartagrawala", 0, "ricartagrawala 2(N-1) 198 2(N-1) 198 T 1 2T 2 ", "are drawn at random")
}

// Each command has help, which names its flags, and which each flag for help shows.
func TestHelp(t *testing.T) {
	overview := shows(t, "help", 0)
	fits(t, "help", overview)
	all := map[string][]cli.Flag{}
	for _, c := range commands() {
		all[c.Name] = c.Flags
	}
	for name, flags := range all {
		assert.Contains(t, overview, "\n  "+name+" ")
		text := shows(t, "help "+name, 0)
		assert.True(t, strings.HasPrefix(text, "Usage: doorway "+name+" [flags]"), text)
		fits(t, "help "+name, text)
		for _, f := range flags {
			assert.Regexp(t, `\n  -`+f.Names()[0]+`( [a-zA-Z]+)?\n +[a-zA-Z]`, text, "help %s", name)
		}
		for _, flag := range []string{"-h", "-help", "--help"} {
			assert.Equal(t, text, shows(t, name+" "+flag, 0))
			assert.Equal(t, text, shows(t, name+" bakery "+flag, 0))
		}
	}
	shows(t, "help json", 0)
	fits(t, "help json", text("json"))
}

// Mistakes are wrapped, at the width of a terminal if it is wider.
func TestWrapped(t *testing.T) {
	const long = "one two three four"
	assert.Equal(t, long, wrapped(long, len(long)))
	assert.Equal(t, "one two three\n  four", wrapped(long, len(long)-1))
	assert.Equal(t, "one two\n  three\n  four", wrapped(long, 9)) // two columns are the indent
	assert.Equal(t, long+"\nfive", wrapped(long+"\nfive", 8), "lines of a tool")
	t.Setenv("COLUMNS", "200")
	_, _, stderr := doorway("stress", "nosuch")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), "lines of %q", stderr)
}

// A wider terminal shows more columns, and no line is wider than it.
func TestWideTerminals(t *testing.T) {
	for _, c := range []struct {
		line   string
		width  int
		part   string
		number int
	}{
		{"list", 80, "Taubenfeld 2004", 0},
		{"list", 80, more, 3},
		{"list", 120, "Taubenfeld 2004", 1},
		{"list", 200, more, 0},
		{"costs -n 3", 80, "\nalgorithm ", 2},
		{"costs -n 3", 120, "\nalgorithm ", 1},
	} {
		var out bytes.Buffer
		require.NoError(t, dispatch(t.Context(), strings.Fields(c.line), streams{out: &output{Writer: &out}, width: c.width}))
		assert.LessOrEqual(t, widest(out.String()), c.width)
		assert.Equal(t, c.number, strings.Count(out.String(), c.part), "%q in doorway %s, %d columns", c.part, c.line, c.width)
	}
}

// What help says of the JSON of a command has every field that the command writes.
func TestJSONFields(t *testing.T) {
	sections := regexp.MustCompile(`(?m)^[a-z]+$`)
	names, parts := sections.FindAllString(text("json"), -1), sections.Split(text("json"), -1)[1:]
	for name, of := range map[string]any{
		"list": listing{}, "compare": comparison{}, "costs": costReport{}, "check": verdict{}, "stress": stressed{}, "run": scene{},
	} {
		k := slices.Index(names, name)
		require.GreaterOrEqual(t, k, 0, "help json has nothing on %s", name)
		part := parts[k]
		fields := fieldsOf(reflect.TypeOf(of), nil)
		if name == "compare" { // which writes the costs too
			part += parts[slices.Index(names, "costs")]
			fields = fieldsOf(reflect.TypeFor[measure.Spread](), fields)
		}
		if name == "check" {
			fields = fieldsOf(reflect.TypeFor[nodesFinding](), fields)
		}
		for _, field := range fields {
			assert.Regexp(t, `\b`+field+`\b`, part, "help json, %s", name)
		}
	}
	assert.Contains(t, fieldsOf(reflect.TypeFor[stress.Report](), nil), "jain")
}

// fieldsOf returns the names in JSON of the fields of a type, and of those below.
func fieldsOf(of reflect.Type, all []string) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(of.Elem(), all)
	case reflect.Struct:
		for k := range of.NumField() {
			if of.Field(k).Anonymous {
				all = fieldsOf(of.Field(k).Type, all)
			} else if name, _, _ := strings.Cut(of.Field(k).Tag.Get("json"), ","); name != "" && name != "-" {
				all = fieldsOf(of.Field(k).Type, append(all, name))
			}
		}
	}
	return all
}
