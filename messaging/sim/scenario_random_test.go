package sim_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/doorway/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/sim"
)

// Random files, most of which can be read: errors have the right line, and a line
// reported to have no effect has none.
func TestRandomFiles(t *testing.T) {
	files := tier.Pick(3000, 8000)
	if tier.Race {
		files = 800
	}
	said := map[string]int{}
	for seed := range uint64(files) {
		text := randomFile(rand.New(rand.NewPCG(seed, 0)))
		for range 50 { // each time without the line reported to have no effect
			what, shorter := tryRandom(t, seed, text)
			said[what]++
			if shorter == "" || t.Failed() {
				break
			}
			text = shorter
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d files: %v", files, said)
	for _, what := range []string{"runs", "fails", "refused", exception, "at asks", "at crashes", load, "detect", "holder"} {
		if said[what] == 0 {
			t.Errorf("of %d files none %s: %v", files, what, said)
		}
	}
}

var (
	errorLine = regexp.MustCompile(`^test:(\d+): (.*)$`)
	aSet      = regexp.MustCompile(`^(set|inform) `)
	aNumber   = regexp.MustCompile(`\bnodes? \d|\[\d`) // a node number instead of a name
)

// tryRandom reads and runs a file and returns what happened. If a line has no effect,
// it also returns the file without it.
func tryRandom(t *testing.T, seed uint64, text string) (what, shorter string) {
	t.Helper()
	s, err := sim.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		if !errorLine.MatchString(err.Error()) {
			t.Fatalf("seed %d: error is %v:\n%s", seed, err, text)
		}
		return "refused", ""
	}
	var output strings.Builder
	report, err := s.Run(&output, lookup)
	failed := strings.Contains(output.String(), "fails at ")
	switch {
	case err == nil && failed:
		return "fails", ""
	case err == nil:
		return "runs", ""
	}
	found := errorLine.FindStringSubmatch(err.Error())
	lines := strings.Split(text, "\n")
	n := 0
	if found != nil {
		n, _ = strconv.Atoi(found[1])
	}
	if n < 1 || n > len(lines) {
		t.Fatalf("seed %d: error is %v:\n%s", seed, err, text)
	}
	if !strings.HasPrefix(found[2], "expected ") { // from the algorithm, which refuses the sets
		if !aSet.MatchString(lines[n-1]) || aNumber.MatchString(found[2]) {
			t.Fatalf("seed %d: error is %v:\n%s", seed, err, text)
		}
		return "refused", ""
	}
	if strings.Contains(found[2], "expected a run of at most") {
		return "refused", ""
	}
	what = directiveOf(found[2])
	if !regexp.MustCompile("^" + strings.Replace(what, "at ", "at .* ", 1)).MatchString(lines[n-1]) {
		t.Fatalf("seed %d: error is %v:\n%s", seed, err, text)
	}
	if !failed && output.Len() > 0 {
		t.Fatalf("seed %d: error is %v, and it shows\n%s", seed, err, output.String())
	}
	if what == load {
		return what, ""
	}
	lines[n-1] = ""
	shorter = strings.Join(lines, "\n")
	without, err := sim.ReadScenario("test", strings.NewReader(shorter))
	if err != nil { // no request is left
		return what, ""
	}
	again, _ := without.Run(&strings.Builder{}, lookup)
	// Detection delays are drawn and users are listed even without effect, and the
	// shares depend on the number of users.
	drawn := what == "detect" && strings.Contains(text, "..")
	for _, r := range []*sim.Report{&report, &again} {
		r.Users, r.Jain, r.LeastShare, r.MostShare = nil, 0, 0, 0
	}
	if what == "at asks" { // a request still to come delays the end, even if its node has crashed
		report.Time, again.Time = 0, 0
	}
	if !drawn && !reflect.DeepEqual(report, again) {
		t.Errorf("seed %d: line %d is said to have no effect, and without it the run is another:\n%s\n%v\n%v", seed, n, text, report, again)
	}
	return what, shorter
}

// What two directives have in common.
const (
	exception = "(latency|lose)"
	load      = "(low|high) load"
)

// directiveOf returns the directive that the error is about.
func directiveOf(text string) string {
	for _, d := range []struct{ says, directive string }{
		{`^expected messages `, exception},
		{`^expected S\d+ to ask at `, "at asks"},
		{`^expected S\d+ to crash at `, "at crashes"},
		{`^expected \d+ entries`, load},
		{`^expected (a crash to detect|a node to learn of a crash)`, "detect"},
		{`^expected the holder S\d+ to matter`, "holder"},
	} {
		if regexp.MustCompile(d.says).MatchString(text) {
			return d.directive
		}
	}
	return "nothing like " + text
}

// A writer writes random directives.
type writer struct {
	*rand.Rand
	nodes int
	lines []string
}

func randomFile(r *rand.Rand) string {
	w := &writer{Rand: r, nodes: 1 + r.IntN(5)}
	w.line("algorithm %s", w.algorithm())
	w.setting()
	if r.IntN(4) == 0 {
		w.line("%s load %d entries%s", w.of("low", "high"), 1+r.IntN(12), w.of("", "", " by "+w.node()))
	} else {
		for range 1 + r.IntN(7) {
			w.line("at %s %s asks%s%s", w.time(12), w.node(), w.of("", "", " and stays 2.5"), w.of("", "", " and gives up at "+w.time(20)))
		}
	}
	for range r.IntN(3) {
		w.line("latency%s%s %s", w.of("", " REQUEST", " REPLY", " RELEASE"), w.of("", " S1->*", " "+w.node()+"->"+w.node()), w.span())
	}
	if r.IntN(4) == 0 {
		w.line("lose%s %s->%s", w.of("", " REQUEST", " REPLY"), w.node(), w.of("*", w.node()))
	}
	if r.IntN(3) == 0 {
		w.line("at %s %s crashes", w.time(25), w.node())
	}
	r.Shuffle(len(w.lines), func(i, j int) { w.lines[i], w.lines[j] = w.lines[j], w.lines[i] })
	return fmt.Sprintf("nodes %d\n%s\n", w.nodes, strings.Join(w.lines, "\n"))
}

// setting writes what may occur at most once.
func (w *writer) setting() {
	for _, line := range []string{
		"holder " + w.node(), "stay " + w.span(), "detect " + w.span(), "unordered", "until " + w.time(30),
		"seed " + w.time(9), "show " + w.of("events", "entries", "report messages delays"),
	} {
		if w.IntN(5) == 0 {
			w.line("%s", line)
		}
	}
	if w.IntN(8) == 0 {
		directive := w.of("set", "set", "inform")
		for i := range w.nodes {
			set := []string{w.node(), w.node(), name(i)}
			slices.Sort(set)
			w.line("%s %s = %s", directive, name(i), strings.Join(slices.Compact(set), " "))
		}
	}
}

func (w *writer) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *writer) of(choices ...string) string { return choices[w.IntN(len(choices))] }

func name(i int) string { return fmt.Sprintf("S%d", i+1) }

func (w *writer) node() string { return name(w.IntN(w.nodes)) }

func (w *writer) time(most int) string { return w.of("", "", "0.") + strconv.Itoa(w.IntN(most)) }

func (w *writer) span() string {
	if w.IntN(3) == 0 {
		return fmt.Sprintf("%d..%d", w.IntN(3), 3+w.IntN(5))
	}
	return w.time(6)
}

func (w *writer) algorithm() string {
	all := catalog.Protocols()
	return all[w.IntN(len(all))]
}
