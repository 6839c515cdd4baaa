package concordance_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", name))
	require.NoError(t, err)
	return string(text)
}

// A link is one of a page in docs.
type link struct {
	text string
	file string // that it leads to, from the root; "" if it leads elsewhere
}

var linked = regexp.MustCompile(`\[([^\]]+)\]\(([^)#]*)(#[^)]*)?\)`)

func links(text string) (all []link) {
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		l := link{text: m[1]}
		if m[2] != "" && !strings.Contains(m[2], "://") {
			l.file = path.Join("docs", m[2])
		}
		all = append(all, l)
	}
	return all
}

func exists(file string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
	return err == nil
}

// files returns the contents of the files that a person wrote, by their paths from the
// root, without the copies of variants, which are generated, and this directory.
func files(t *testing.T, pattern string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if generated, _ := path.Match("internal/variant/*/*", name); generated || d.Name() == ".git" || name == "internal/concordance" {
				return fs.SkipDir
			}
			return nil
		}
		if matched, _ := path.Match(pattern, d.Name()); matched {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return err
			}
			all[name] = string(text)
		}
		return nil
	}))
	return all
}

// Every link of the three pages leads to a file or directory.
func TestLinks(t *testing.T) {
	for _, name := range []string{"concordance.md", "bibliography.md", "glossary.md"} {
		for _, l := range links(page(t, name)) {
			assert.True(t, l.file == "" || exists(l.file), "%s: %s does not exist", name, l.file)
		}
	}
}
