package spacetime_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/spelling"
)

//go:generate go test . -run Scenarios$ -update
//go:generate go run -C ../.. ./internal/explored ./internal/spacetime -run WrongScenarios$ -update

const (
	files      = "../../examples/scenarios"
	shows      = "../../docs/scenarios.md"
	pictures   = "../../docs/scenarios"     // those that pages show
	everything = "../../docs/scenarios/all" // all, once they are drawn anew: git ignores them
	again      = "go generate ./internal/spacetime"
)

// The scenarios whose pictures a page shows: what fails is beside what mends it.
var shown = []string{
	"ricartagrawala", "ricartagrawala-crash", "lamport", "lamport-unordered", "maekawa-circle", "maekawa-circle-resolved",
	"suzukikasami", "singhal", "raymond", "multicast-basic", "multicast-total", "snapshot", "snapshot-unordered", "berkeley",
	"recovery-suzukikasami", "recovery-fencing",
}

// wrong recognizes the scenario of a wrong variant.
var wrong = regexp.MustCompile(`(?m)^algorithm \S+/`)

// Each scenario has a picture that is right, and the one that is known: of those that pages
// show it is in docs/scenarios, of the others there is a digest.
func TestScenarios(t *testing.T) {
	pictured(t, "testdata/digests.txt", func(text string) bool { return !wrong.MatchString(text) })
	page.Generated(t, shows, "scenarios", again, pageOf(t, texts(t)))
	there, err := filepath.Glob(filepath.Join(pictures, "*.svg"))
	require.NoError(t, err)
	assert.Len(t, there, len(shown), "a picture that the page does not show")
}

// pictured draws some of the scenarios, and compares the pictures, most of which have only
// their digests in a file.
func pictured(t *testing.T, digests string, some func(text string) bool) {
	t.Helper()
	all, sums := texts(t), ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !some(all[name]) {
			continue
		}
		d := drawn(t, scenario(t, name))
		d.check()
		if page.Updating() {
			require.NoError(t, os.MkdirAll(everything, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(everything, name+".svg"), d.picture, 0o666))
		}
		if slices.Contains(shown, name) {
			page.Golden(t, filepath.Join(pictures, name+".svg"), again, string(d.picture))
		} else {
			sums += fmt.Sprintf("%s %.8x\n", name, sha256.Sum256(d.picture))
		}
	}
	page.Golden(t, digests, again, sums)
}

// pageOf returns what the page has of all scenarios: pictures of some, each with the first paragraph of its
// scenario, and the names of the others by their class, those that fail apart.
func pageOf(t *testing.T, all map[string]string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range shown {
		fmt.Fprintf(&b, "\n### [%s](../examples/scenarios/%[1]s.txt)\n\n%s\n\n![%[1]s, drawn](scenarios/%[1]s.svg)\n", name, paragraph(all[name]))
	}
	b.WriteString("\n## More examples\n\n| of | examples | that fail |\n|---|---|---|\n")
	var classes []string
	holding, failing := map[string][]string{}, map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(shown, name) {
			continue
		}
		class, of := classOf(t, all[name]), holding
		if strings.Contains(all[name], "\nfails at ") {
			of = failing
		}
		of[class] = append(of[class], fmt.Sprintf("[%s](../examples/scenarios/%[1]s.txt)", name))
		if !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	for _, class := range classes {
		b.WriteString(spelling.Row(class, strings.Join(holding[class], ", "), strings.Join(failing[class], ", ")))
	}
	return b.String()
}

// classOf returns the class of the algorithm of a scenario, which is the directory of its package.
func classOf(t *testing.T, text string) string {
	t.Helper()
	name := regexp.MustCompile(`(?m)^algorithm ([^\s/]+)`).FindStringSubmatch(text)[1]
	if strings.HasPrefix(name, "recovery-") {
		return "recovery"
	}
	if _, is := internal.FindSystem(name); is {
		return "around the lock"
	}
	p, _ := internal.FindProtocol(name)
	return path.Base(path.Dir(reflect.TypeOf(p.Kinds[0]).PkgPath()))
}

// paragraph returns the first paragraph of the comment at the top of a scenario.
func paragraph(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line, comment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !comment || line == "" {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.Join(words, " ")
}
