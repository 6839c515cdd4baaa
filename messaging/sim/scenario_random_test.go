package sim_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/sim"
)

var located = regexp.MustCompile(`^test:(\d+): (?s:.)*[^\n]$`)

// try reads and runs any text, and returns what happened: errors are allowed, but each must have
// its line. A line that is said to have no effect has none: then try also returns the text
// without it.
func try(t *testing.T, text string) (what, shorter string) {
	t.Helper()
	s, err := sim.ReadScenario("test", strings.NewReader(text))
	if err != nil {
		require.Regexp(t, located, err.Error(), "%q", text)
		return "refused", ""
	}
	var output strings.Builder
	report, err := s.Run(&output, lookup)
	if err == nil {
		again, err := sim.ReadScenario("test", strings.NewReader(s.Directives+"----\n"+output.String()))
		require.NoError(t, err, "%q: with the output that it has", text)
		require.True(t, again.Expects, "%q", text)
		require.Equal(t, output.String(), again.Expected, "%q", text)
		if strings.Contains(output.String(), "fails at ") {
			return "fails", ""
		}
		return "runs", ""
	}
	if strings.Contains(err.Error(), "it is no Exclusion") { // the file as a whole is wrong
		return "refused", ""
	}
	found := located.FindStringSubmatch(err.Error())
	require.NotNil(t, found, "%q: the run's error is %v", text, err)
	for directive, says := range withoutEffect {
		if !says.MatchString(err.Error()) {
			continue
		}
		n, _ := strconv.Atoi(found[1])
		lines := strings.Split(text, "\n")
		require.Regexp(t, `^\s*`+directive, lines[n-1], "%q: the run's error is %v", text, err)
		lines[n-1] = ""
		shorter = strings.Join(lines, "\n")
		without, err := sim.ReadScenario("test", strings.NewReader(shorter))
		if err != nil { // no request is left
			return directive, ""
		}
		again, _ := without.Run(&strings.Builder{}, lookup)
		// Delays of what has no effect may be drawn, and users are listed even without effect.
		for _, r := range []*sim.Report{&report, &again} {
			r.Users, r.Jain, r.LeastShare, r.MostShare = nil, 0, 0, 0
			if directive == asking { // a request still to come delays the end, even if its node has crashed
				r.Time = 0
			}
		}
		drawn := regexp.MustCompile(`\.\.|exp|random|loss|duplication|give up`).MatchString(text)
		require.True(t, drawn || reflect.DeepEqual(report, again), "%q: line %d is said to have no effect, and without it the run is another:\n%v\n%v", text, n, report, again)
		return directive, shorter
	}
	return "refused", ""
}

const asking = "at .* asks"

// withoutEffect has what the error says of a directive that has no effect.
var withoutEffect = map[string]*regexp.Regexp{
	"(latency|lose|double)": regexp.MustCompile(`: expected messages `),
	asking:                  regexp.MustCompile(`: expected S\d+ to ask at `),
	"at .* crashes":         regexp.MustCompile(`: expected S\d+ to crash at `),
	"detect":                regexp.MustCompile(`: expected (a crash to detect|a node to learn of a crash)`),
}

func FuzzScenario(f *testing.F) {
	for _, path := range paths(f) {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) { try(t, text) })
}

// Valid files with random changes do no harm.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for _, path := range paths(t) {
		text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(read(t, path).Directives, "")
		if !strings.Contains(text, " load ") { // which take longer
			texts = append(texts, strings.ReplaceAll(text, ";", "\n"))
		}
	}
	said, mutations := map[string]int{}, tier.Fewer(tier.Pick(1000, 10_000))
	for range mutations {
		text := texts[r.IntN(len(texts))]
		for range 1 + r.IntN(3) {
			text = mutate(r, text, texts)
		}
		for text != "" { // each time without the line that has no effect
			var what string
			what, text = try(t, text)
			said[what]++
		}
	}
	t.Logf("%d files: %v", mutations, said)
	if tier.Race {
		return // with too few files to find each
	}
	for _, what := range append(slices.Collect(maps.Keys(withoutEffect)), "runs", "fails", "refused") {
		assert.NotZero(t, said[what], "of %d files none %s: %v", mutations, what, said)
	}
}

var words = strings.Fields(`S1 S2 S3 S4 S13 S0 S99999999999999999999 S -1 0 1 2 0.5 1.5 1..3 1000 1000000 1e9
	18446744073709551616 .. -> S1->S2 *->* S1->* REQUEST LOCKED = and asks stays gives up at crashes from by load low high
	entries events messages delays report lamport central maekawa sanders caosinghal majority roucairolcarvalho
	ricartagrawala-acknowledged lamport-suppressed ---- # ü`)

// directives are lines that often have no effect.
var directives = []string{"detect 1", "lose REQUEST S1->S2", "latency REPLY S2->* 3", "at 30 S1 asks", "at 99 S2 crashes", "until 7"}

// mutate changes a line or a word, or inserts a line, perhaps from another text.
func mutate(r *rand.Rand, text string, texts []string) string {
	lines := strings.Split(text, "\n")
	k := r.IntN(len(lines))
	fields := strings.Fields(lines[k])
	word := 0
	if len(fields) > 0 {
		word = r.IntN(len(fields))
	}
	switch choice := r.IntN(8); {
	case choice == 0:
		lines = slices.Delete(lines, k, k+1)
	case choice == 1:
		lines = slices.Insert(lines, k, lines[r.IntN(len(lines))])
	case choice == 2:
		other := strings.Split(texts[r.IntN(len(texts))], "\n")
		lines = slices.Insert(lines, k, other[r.IntN(len(other))])
	case choice < 5:
		lines = slices.Insert(lines, k, directives[r.IntN(len(directives))])
	case len(fields) == 0:
	case choice == 5:
		lines[k] = strings.Join(slices.Delete(fields, word, word+1), " ")
	case choice == 6:
		lines[k] = strings.Join(slices.Insert(fields, word, words[r.IntN(len(words))]), " ")
	default:
		fields[word] = words[r.IntN(len(words))]
		lines[k] = strings.Join(fields, " ")
	}
	return strings.Join(lines, "\n")
}
