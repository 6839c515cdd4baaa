package concordance_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
)

// An entry is one of the bibliography.
type entry struct {
	name    string // "Peterson, Fischer 1977"
	text    string // all of it, up to where it is cited
	citedIn []string
}

func entries(text string) (all []entry) {
	for _, m := range regexp.MustCompile(`(?m)^- \*\*([^*]+)\*\*: (.*) Cited in (.*)\.$`).FindAllStringSubmatch(text, -1) {
		e := entry{name: m[1], text: m[1] + ": " + m[2]}
		for _, l := range links(m[3]) {
			e.citedIn = append(e.citedIn, l.file)
		}
		all = append(all, e)
	}
	return all
}

var (
	year    = regexp.MustCompile(`\b(?:1[89]|20)\d\d\b`)
	surname = `[A-Z]\p{Ll}+(?:-[A-Z]\p{Ll}+)*`
	month   = regexp.MustCompile(`^(?:January|February|March|April|May|June|July|August|September|October|November|December)$`)

	// The ways in which comments cite: Lamport 1974; L. Lamport, "A new solution …"; and
	// M. L. Scott, whatever comes before and after. A sentence may end with the E, K, N or
	// T of a formula, so these count as initials only together with another.
	named  = regexp.MustCompile(`\b(` + surname + `)(?:'s?)? \(?((?:1[89]|20)\d\d)\b`)
	titled = regexp.MustCompile(`\b[A-Z]\. ` + surname + `,? \(?"([^"]+)"`)
	author = regexp.MustCompile(`\b(?:[A-DF-JLMO-SU-Z]\. |(?:[A-Z]\. ){2,})(?:von )?(` + surname + `)(?:,|:| and | \(|'s )`)
)

// prose returns the comments of a Go file, or those of a scenario, in one line.
func prose(text string) string {
	text = regexp.MustCompile(`(?m)^\s*(?://|#) ?`).ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), " ")
}

func comments(name, text string) string {
	mark := "//"
	if path.Ext(name) == ".txt" {
		mark = "#"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if _, after, found := strings.Cut(line, mark); found {
			b.WriteString(after)
		} else {
			b.WriteString(" ¶ ")
		}
	}
	return prose(b.String())
}

// cites reports whether a file with this text cites e: has its title, or its first author
// with the year or what e calls it.
func (e entry) cites(text string) bool {
	if title := regexp.MustCompile(`"([^"]+)"|\*([^*]+)\*`).FindStringSubmatch(e.text); title != nil {
		short, _, _ := strings.Cut(title[1]+title[2], ":") // without the subtitle
		if strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSuffix(short, " (CUD)"))) {
			return true
		}
	}
	first := strings.TrimPrefix(regexp.MustCompile(`^(?:von )?[\p{L}-]+`).FindString(e.name), "von ")
	when := year.FindString(e.name)
	return regexp.MustCompile(`\b`+first+`\b`).MatchString(text) && (when == "" || strings.Contains(text, when) || strings.Contains(text, first+`'s textbooks`))
}

// Every source that comments, scenarios and the catalog cite is in the bibliography.
func TestSourcesAreListed(t *testing.T) {
	all := entries(page(t, "bibliography.md"))
	listed := func(parts ...string) bool {
		return slices.ContainsFunc(all, func(e entry) bool {
			return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(strings.ToLower(e.text), strings.ToLower(p)) })
		})
	}
	sources := files(t, "*.go")
	for name, text := range files(t, "*.txt") {
		if path.Dir(name) == "examples/scenarios" {
			sources[name] = text
		}
	}
	found := 0
	for name, text := range sources {
		text = comments(name, text)
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !month.MatchString(m[1]) {
				found++
				assert.True(t, listed(m[1], m[2]), "docs/bibliography.md lacks %s %s, which %s cites", m[1], m[2], name)
			}
		}
		for _, m := range titled.FindAllStringSubmatch(text, -1) {
			found++
			assert.True(t, listed(strings.TrimSuffix(m[1], ",")), "docs/bibliography.md lacks %q, which %s cites", m[1], name)
		}
		for _, m := range author.FindAllStringSubmatch(text, -1) {
			found++
			assert.True(t, listed(m[1]), "docs/bibliography.md lacks %s, which %s cites", m[1], name)
		}
	}
	assert.NotZero(t, found, "sources")

	var known []string
	for _, a := range catalog.Algorithms {
		known = append(known, a.Source)
	}
	for _, p := range catalog.Protocols {
		known = append(known, p.Source)
	}
	authors := regexp.MustCompile(`(?:Le )?` + surname + `(?:, ` + surname + `)* \d{4}`)
	for _, source := range known {
		for _, name := range authors.FindAllString(source, -1) {
			assert.True(t, slices.ContainsFunc(all, func(e entry) bool { return e.name == name }), "docs/bibliography.md lacks %q, a source of the catalog", name)
		}
	}
}

// Every entry is cited where it says, and wherever else its title is.
func TestEntriesAreCited(t *testing.T) {
	all := entries(page(t, "bibliography.md"))
	assert.Len(t, all, strings.Count(page(t, "bibliography.md"), "\n- "), "entries that say where they are cited")
	sources := files(t, "*.go")
	maps.Copy(sources, files(t, "*.txt"))
	whole := map[string]string{} // of files, and of directories
	for name, text := range sources {
		whole[name] = prose(text)
		whole[path.Dir(name)] += whole[name] + " "
	}
	for _, e := range all {
		assert.NotEmpty(t, e.citedIn, "%s is not cited", e.name)
		for _, file := range e.citedIn {
			assert.True(t, e.cites(whole[file]), "%s does not cite %s", file, e.name)
		}
		title := regexp.MustCompile(`"([^"]+)"`).FindStringSubmatch(e.text)
		if title == nil {
			continue
		}
		for name := range sources {
			if strings.Contains(whole[name], title[1]) && !slices.Contains(e.citedIn, name) && !slices.Contains(e.citedIn, path.Dir(name)) {
				t.Errorf("%s cites %s, and the bibliography does not say so", name, e.name)
			}
		}
	}
}
