package docs

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/tier"
)

// pages returns the pages of the repository, with their text.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../bench/*/README.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			all[name] = page.Read(t, name)
		}
	}
	return all
}

var (
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

	// What a link names: a test of a file, or a name that a package declares.
	test   = regexp.MustCompile(`^(?:Test|Example|Fuzz|Benchmark)\w*$`)
	member = regexp.MustCompile(`^[a-z]\w*\.(?:\w+\.)?([A-Z]\w*)$`)
)

// Whatever a page links to in the repository exists: the file, the heading in it, and the test or
// the name that the link calls it.
func TestLinks(t *testing.T) {
	kinds, slugs := map[string]int{}, map[string][]string{} // of each page the headings, as links have them
	for from, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			name, file, anchor := m[1], m[2], m[3]
			if strings.Contains(file, "://") {
				continue
			}
			target := from
			if file != "" {
				target = filepath.Join(filepath.Dir(from), file)
			}
			info, err := os.Stat(target)
			if !assert.NoError(t, err, "%s links to %s", from, m[0]) {
				continue
			}
			switch {
			case anchor != "":
				kinds["heading"]++
				if slugs[target] == nil {
					for _, h := range heading.FindAllStringSubmatch(page.Read(t, target), -1) {
						slugs[target] = append(slugs[target], strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
					}
				}
				assert.Contains(t, slugs[target], anchor, "%s links to %s", from, m[0])
			case test.MatchString(name) && !info.IsDir():
				kinds["test"]++
				assert.True(t, strings.Contains(page.Read(t, target), "\nfunc "+name+"("), "%s links to %s", from, m[0])
			case member.MatchString(name) && info.IsDir():
				kinds["name"]++
				declares := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |\s+(?:\w+, )*)` + member.FindStringSubmatch(name)[1] + `\b`)
				assert.True(t, slices.ContainsFunc(sources(t, target), declares.MatchString), "%s links to %s", from, m[0])
			}
		}
	}
	for _, kind := range []string{"heading", "test", "name"} {
		assert.NotZero(t, kinds[kind], "links to a %s", kind)
	}
}

// Each picture of the repository is on a page, and is at most as wide as that.
func TestPictures(t *testing.T) {
	shown := strings.Join(slices.Collect(maps.Values(pages(t))), "\n")
	docs := os.DirFS("../../docs")
	require.NoError(t, fs.WalkDir(docs, ".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == "all" { // git ignores these
			return fs.SkipDir
		}
		if path.Ext(name) == ".svg" {
			assert.Contains(t, shown, "("+name+")", "no page shows it")
			text, _ := fs.ReadFile(docs, name)
			all, err := svg.Read(text)
			require.NoError(t, err, name)
			assert.LessOrEqual(t, all[0].Number("width"), 880.0, name)
		}
		return err
	}))
}

// sources returns the Go files of a package, with their tests.
func sources(t *testing.T, dir string) (all []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		all = append(all, page.Read(t, name))
	}
	return all
}

// The wrong variants that the lectures and the tasks name can be checked by that name.
func TestVariants(t *testing.T) {
	text := page.Read(t, "../../docs/disagreements.md") + page.Read(t, "../../docs/scenarios.md")
	variants := regexp.MustCompile("`([a-z-]+/[a-z-]+)`").FindAllStringSubmatch(text, -1)
	assert.NotEmpty(t, variants)
	for _, m := range variants {
		assert.Contains(t, slices.Concat(catalog.Names(catalog.Broken), catalog.Names(catalog.Printed)), m[1])
	}
}

// Every source that the catalog names is in the list of sources.
func TestSources(t *testing.T) {
	var all []string
	for _, a := range catalog.Algorithms {
		all = append(all, a.Source)
	}
	for _, p := range catalog.Protocols {
		all = append(all, p.Source)
	}
	known := page.Read(t, "../../docs/glossary.md")
	surname := `[A-Z]\p{Ll}+(?:-[A-Z]\p{Ll}+)*`
	sources := regexp.MustCompile(`(?:Le )?`+surname+`(?:, `+surname+`)* \d{4}`).FindAllString(strings.Join(all, "\n"), -1)
	assert.NotEmpty(t, sources)
	for _, source := range sources {
		assert.Contains(t, known, "\n- **"+source+"**: ")
	}
}

var (
	command  = regexp.MustCompile("\\bgo (?:test|run|vet|build|generate)(?: [^`\n]+)?")
	packages = regexp.MustCompile(`(?:^|\s)(\./[\w./]+[\w])(?:\s|$)`)
	running  = regexp.MustCompile(`-run (\w+)`)
)

// The packages of this repository that shown commands name exist, and so do the tests that they
// select there. Readers of the tutorials have packages of their own, and no directories in them.
func TestCommands(t *testing.T) {
	found := 0
	for from, text := range pages(t) {
		for _, c := range command.FindAllString(text, -1) {
			for _, m := range packages.FindAllStringSubmatch(c, -1) {
				found++
				files := sources(t, filepath.Join("../..", m[1]))
				assert.NotEmpty(t, files, "%s: %q: there is no package %s", from, c, m[1])
				if run := running.FindStringSubmatch(c); run != nil {
					selected := regexp.MustCompile(`(?m)^func Test\w*` + run[1])
					assert.True(t, slices.ContainsFunc(files, selected.MatchString), "%s: %q: %s has no such test", from, c, m[1])
				}
			}
		}
	}
	assert.NotZero(t, found)
}

// Commands for contributors that no other test runs: as a page shows them, and with less to do.
func TestCommandsRun(t *testing.T) {
	tier.NeedsFull(t, "runs go commands")
	shown := strings.Join(slices.Collect(maps.Values(pages(t))), "\n")
	for command, replaced := range map[string]*strings.Replacer{
		"go run ./internal/proof/mutants/report dekker":                                                       strings.NewReplacer("dekker", "peterson"),
		"go test -race -run '^$' -bench Alone ./bench":                                                        strings.NewReplacer("'", "", "-race", "-benchtime=1x"),
		"go run -tags doorway_explore ./bench/spin/explore -lock bakery-classic -n 3 -cap 8 -only starvation": strings.NewReplacer("-n 3 -cap 8", "-n 2 -cap 4"),
		"go run ./bench/spin/explore -protocol maekawa -n 3 -rounds 2":                                        strings.NewReplacer(),
	} {
		assert.Contains(t, shown, command)
		args := strings.Fields(replaced.Replace(command))
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%q: %s", args, out)
	}
}
