package spacetime_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the pictures of docs/scenarios anew, and write their page")

// Where the scenarios and the pictures of them are.
const (
	files    = "../../examples/scenarios"
	pictures = "../../docs/scenarios"
	page     = "../../docs/scenarios.md"
)

// Each scenario has a picture in docs/scenarios, and a place on the page that shows them
// all. To draw them anew:
//
//	go test ./internal/spacetime -run Docs -update
func TestDocs(t *testing.T) {
	all := scenarios(t)
	want := map[string][]byte{page: []byte(pageOf(t, all))}
	for name, r := range all {
		var b bytes.Buffer
		require.NoError(t, r.WriteSVG(&b))
		want[filepath.Join(pictures, name+".svg")] = b.Bytes()
	}
	for file, text := range want {
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, text, 0o666))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(text, got), "%s is stale: go test ./internal/spacetime -run Docs -update", file)
	}
	drawn, err := filepath.Glob(filepath.Join(pictures, "*"))
	require.NoError(t, err)
	for _, file := range drawn {
		assert.Contains(t, want, file, "a picture of no scenario")
	}
}

const intro = `# The examples, drawn

Each worked example of the lectures is a scenario in [examples/scenarios](../examples/scenarios), and here is its space-time diagram:
a line for each node, time to the right, an arrow for each message. A light bar is a node that waits, a strong bar one in the critical
section. ` + "`go run ./cmd/doorway trace <file>`" + ` prints the events of a scenario, and with ` + "`-svg`" + ` it draws such a picture. Opened on its
own, a picture says where the pointer rests what a message or an event is, its vector timestamp, and the state of the node after it.

<!-- everything below: go test ./internal/spacetime -run Docs -update -->
`

// pageOf returns the page that shows all pictures, each with the first sentence of its
// scenario.
func pageOf[R any](t *testing.T, all map[string]R) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(intro)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text, err := os.ReadFile(filepath.Join(files, name+".txt"))
		require.NoError(t, err)
		says := sentence(string(text))
		fmt.Fprintf(&b, "\n## [%s](../examples/scenarios/%[1]s.txt)\n\n%s\n\n![The space-time diagram of %[1]s](scenarios/%[1]s.svg)\n", name, says)
	}
	return b.String()
}

// sentence returns the first sentence of the comment at the top of a scenario.
func sentence(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line, comment := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !comment || line == "" {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	for k, w := range words {
		if strings.HasSuffix(w, ".") && (k+1 == len(words) || strings.ToUpper(words[k+1][:1]) == words[k+1][:1]) {
			words = words[:k+1]
			break
		}
	}
	return strings.Join(words, " ")
}
