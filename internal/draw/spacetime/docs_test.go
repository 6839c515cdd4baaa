package spacetime_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
)

//go:generate go test . -run Scenarios$ -update
//go:generate go run -C ../../.. ./internal/explored ./internal/draw/spacetime -run WrongScenarios$ -update
//go:generate go run -C ../../.. ./internal/explored ./explore -run CounterexamplePictures -update

const (
	files      = "../../../examples/scenarios"
	shows      = "../../../docs/scenarios.md"
	pictures   = "../../../docs/scenarios"     // those that pages show
	everything = "../../../docs/scenarios/all" // all, once they are drawn anew: git ignores them
	again      = "go generate ./internal/draw/spacetime"
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
	page.Generated(t, shows, "scenarios", again, pageOf(page.Read(t, shows), texts(t)))
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

// pageOf returns what a page has of all scenarios: pictures of some, each with the first paragraph of its
// scenario, and links to those that the page has not named before.
func pageOf(text string, all map[string]string) string {
	var b strings.Builder
	for _, name := range shown {
		fmt.Fprintf(&b, "\n### [%s](../examples/scenarios/%[1]s.txt)\n\n%s\n\n![%[1]s, drawn](scenarios/%[1]s.svg)\n", name, paragraph(all[name]))
	}
	above, _, _ := strings.Cut(text, "<!-- scenarios:")
	var others []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if link := "(../examples/scenarios/" + name + ".txt)"; !strings.Contains(above+b.String(), link) {
			others = append(others, "["+name+"]"+link)
		}
	}
	return b.String() + "\nExamples of no lecture: " + strings.Join(others, ", ") + ".\n"
}

var opening = regexp.MustCompile(`\A(?:# .*\n)+`)

// paragraph returns the first paragraph of the comment at the top of a scenario.
func paragraph(scenario string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(opening.FindString(scenario), "# ", "")), " ")
}
