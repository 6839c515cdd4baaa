package tutorial

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
)

var ownProtocol = tutorial{
	file:      "../../../docs/own-protocol.md",
	root:      "../../..",
	directory: "rounds",
	test:      []string{"go", "test"},
	sources:   []string{"messaging", "mutex", "register", "stress"},
}

func TestOwnProtocol(t *testing.T) { ownProtocol.follow(t) }

var shown = regexp.MustCompile("(?ms)^```(?:Go)?\n(.*?)^```$")

// What the page shows of a design is in the Example: its source, and its output.
func TestDesign(t *testing.T) {
	_, section, found := strings.Cut(page.Read(t, ownProtocol.file), "\n## A design before its code\n")
	require.True(t, found)
	source := page.Read(t, "../../../explore/example_system_test.go")
	source += strings.ReplaceAll(source, "\t// ", "")
	blocks := shown.FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 3)
	for _, block := range blocks {
		assert.Contains(t, source, block[1])
	}
}
