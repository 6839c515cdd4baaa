package concordance_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/faults"
	"example.org/doorway/internal/variant"
)

// A row is one of a table, with the section that it is in.
type row struct {
	section string
	cells   []string
}

func rows(text string) (all []row) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if after, found := strings.CutPrefix(line, "## "); found {
			section = after
		}
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		all = append(all, row{section, cells})
	}
	return all
}

// functions returns the functions of the files, by file, with their comments.
func functions(t *testing.T, sources map[string]string) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for name, text := range sources {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		all[name] = map[string]string{}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				all[name][f.Name.Name] = f.Doc.Text()
			}
		}
	}
	return all
}

var variants = regexp.MustCompile("`([a-z-]+/[a-z-]+)`")

// What the tables name exists: in each package, scenario and test that a row links to.
func TestNamed(t *testing.T) {
	tests := functions(t, files(t, "*_test.go"))
	sources := files(t, "*.go")
	packages := map[string]bool{}
	for name := range sources {
		packages[path.Dir(name)] = true
	}
	for _, r := range rows(page(t, "concordance.md")) {
		for _, m := range variants.FindAllStringSubmatch(strings.Join(r.cells, " "), -1) {
			_, found := variant.Find(m[1])
			assert.True(t, found, "there is no variant %s", m[1])
		}
		for k, cell := range r.cells {
			for _, l := range links(cell) {
				switch {
				case l.file == faultsPage, l.file == recoveryPage:
				case k == len(r.cells)-1:
					_, found := tests[l.file][l.text]
					assert.True(t, found, "there is no %s in %s", l.text, l.file)
				case path.Dir(l.file) == "examples/scenarios":
					assert.Equal(t, l.file, "examples/scenarios/"+l.text+".txt")
					assert.True(t, exists(l.file), "%s does not exist", l.file)
				default:
					assert.True(t, packages[l.file], "%s is no package", l.file)
					assert.Equal(t, path.Base(l.file), l.text, "the name of %s", l.file)
				}
			}
		}
	}
}

const (
	faultsPage   = "docs/faults.md"
	recoveryPage = "docs/recovery.md"
)

// Each slide with a sentence about faults has a row that links to the page about them, and no
// other has.
func TestFaults(t *testing.T) {
	all := rows(page(t, "concordance.md"))
	about := func(r row, s faults.Sentence) bool {
		titled := r.cells[0] == s.Slide
		return r.section == lectures[s.Lecture] && (titled || s.Lecture != "Mattern" && within(r.cells[0], s.Slide))
	}
	linked := func(r row) bool {
		return slices.ContainsFunc(links(r.cells[1]), func(l link) bool { return l.file == faultsPage })
	}
	for _, s := range faults.Sentences {
		assert.True(t, slices.ContainsFunc(all, func(r row) bool { return about(r, s) && linked(r) }),
			"docs/concordance.md lacks a row of %s, slide %s, that links to %s", s.Lecture, s.Slide, faultsPage)
	}
	for _, r := range all {
		if len(r.cells) > 1 && linked(r) {
			assert.True(t, slices.ContainsFunc(faults.Sentences, func(s faults.Sentence) bool { return about(r, s) }),
				"%s, slide %s, links to %s, which says nothing of it", r.section, r.cells[0], faultsPage)
		}
	}
}

// The lectures, as comments call them, and the sections of the page about them.
var lectures = map[string]string{"Reiser": "Reiser", "HAW": "HAW Hamburg", "Prabhakaran": "Prabhakaran", "Mattern": "Mattern", "Sabel": "Sabel"}

// A citation is what a comment says of slides: of one, or several.
type citation struct {
	lecture string
	slides  []string // each the number of one, or of the first and the last of some; none: titles
}

const (
	number  = `\d+(?:\.\d+)?`
	several = number + `(?: to ` + number + `)?`
)

var (
	cited  = regexp.MustCompile(`\b(Reiser|HAW|Prabhakaran|Mattern|Sabel)\b(?:[^.;:]*?\bslides? (` + several + `(?:(?:,| and|, and) ` + several + `)*))?`)
	spread = regexp.MustCompile(several)
)

func citations(comment string) (all []citation) {
	comment = strings.Join(strings.Fields(strings.ReplaceAll(comment, "#", "")), " ")
	for _, m := range cited.FindAllStringSubmatch(comment, -1) {
		all = append(all, citation{m[1], spread.FindAllString(m[2], -1)})
	}
	return all
}

// slide returns a slide's number such that they compare as slides do.
func slide(number string) int {
	chapter, n, found := strings.Cut(number, ".")
	if !found {
		chapter, n = "0", number
	}
	c, _ := strconv.Atoi(chapter)
	k, _ := strconv.Atoi(n)
	return 1000*c + k
}

// within reports whether the slides of a row, such as 5.15–5.17 or 23, 26, are among those
// of a citation, such as 5.15 to 5.18.
func within(cell, slides string) bool {
	first, last, _ := strings.Cut(slides, " to ")
	last = cmp.Or(last, first)
	for part := range strings.SplitSeq(cell, ", ") {
		from, to, _ := strings.Cut(part, "–")
		to = cmp.Or(to, from)
		if slide(from) <= slide(last) && slide(first) <= slide(to) {
			return true
		}
	}
	return false
}

// missing returns the citations that no row bears out: one about the slide, which names
// the file and, if a test is cited, the test.
func missing(all []row, name, test string, cites []citation) (lacking []string) {
	for _, c := range cites {
		var of []row // the rows of the lecture that name the test or scenario
		for _, r := range all {
			if r.section == lectures[c.lecture] && slices.ContainsFunc(links(strings.Join(r.cells, " ")), func(l link) bool {
				return l.file == name && (test == "" || l.text == test)
			}) {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			lacking = append(lacking, c.lecture)
		}
		for _, s := range c.slides {
			if len(of) > 0 && !slices.ContainsFunc(of, func(r row) bool { return within(r.cells[0], s) }) {
				lacking = append(lacking, c.lecture+" "+s)
			}
		}
	}
	return lacking
}

// Each scenario and each test whose comment cites a slide is in the row of that slide.
func TestCited(t *testing.T) {
	all := rows(page(t, "concordance.md"))
	for name, text := range files(t, "*.txt") {
		if path.Dir(name) != "examples/scenarios" {
			continue
		}
		var comment strings.Builder
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				comment.WriteString(line)
			}
		}
		assert.Empty(t, missing(all, name, "", citations(comment.String())), "docs/concordance.md lacks rows that name %s", name)
	}
	for name, tests := range functions(t, files(t, "*_test.go")) {
		for test, comment := range tests {
			if strings.HasPrefix(test, "Test") || strings.HasPrefix(test, "Example") {
				assert.Empty(t, missing(all, name, test, citations(comment)), "docs/concordance.md lacks rows that name %s of %s", test, name)
			}
		}
	}
}

// Each variant that a lecture prints is in the row of its slide.
func TestVariants(t *testing.T) {
	all := rows(page(t, "concordance.md"))
	printed := 0
	for _, v := range variant.All() {
		for _, c := range citations(v.Source) {
			printed++
			assert.True(t, slices.ContainsFunc(all, func(r row) bool {
				titled := len(c.slides) == 0
				return r.section == lectures[c.lecture] && (titled || within(r.cells[0], strings.ReplaceAll(c.slides[0], "-", " to "))) &&
					strings.Contains(strings.Join(r.cells, " "), "`"+v.Name+"`")
			}), "docs/concordance.md lacks %s, which %s prints", v.Name, v.Source)
		}
	}
	assert.NotZero(t, printed, "variants that a lecture prints")
}

// The name of each test of package lecture has the slide that it is about, and so the
// row of that slide has the test.
func TestNamesOfTests(t *testing.T) {
	all := rows(page(t, "concordance.md"))
	name := regexp.MustCompile(`^Test(Reiser|HAW|Prabhakaran|Mattern|Sabel)(\d+(?:_\d+)?)?`)
	tests := 0
	for file, of := range functions(t, files(t, "*_test.go")) {
		if filepath.ToSlash(path.Dir(file)) != "internal/lecture" {
			continue
		}
		for test := range of {
			if m := name.FindStringSubmatch(test); m != nil {
				tests++
				c := citation{lecture: m[1]}
				if m[2] != "" {
					c.slides = []string{strings.ReplaceAll(m[2], "_", ".")}
				}
				assert.Empty(t, missing(all, file, test, []citation{c}), "docs/concordance.md lacks %s", test)
			}
		}
	}
	assert.NotZero(t, tests, "tests whose names have a slide")
}

// Every slide with a number has a row, or is named as one without.
func TestEverySlide(t *testing.T) {
	text := page(t, "concordance.md")
	_, without, _ := strings.Cut(text, "\n## Slides without a row\n")
	for lecture, slides := range map[string][2]int{"Reiser": {5001, 5065}, "HAW": {1, 30}, "Prabhakaran": {1, 52}} {
		var covered []string
		for _, r := range rows(text) {
			if r.section == lectures[lecture] && r.cells[0] != "Slide" {
				covered = append(covered, r.cells[0])
			}
		}
		for _, m := range regexp.MustCompile(lecture+` ([\d.–]+\d(?: and [\d.]+\d)?|\d)`).FindAllStringSubmatch(without, -1) {
			covered = append(covered, strings.ReplaceAll(m[1], " and ", ", "))
		}
		for n := slides[0]; n <= slides[1]; n++ {
			name := strconv.Itoa(n % 1000)
			if n > 1000 {
				name = strconv.Itoa(n/1000) + "." + name
			}
			assert.True(t, slices.ContainsFunc(covered, func(c string) bool { return within(c, name) }), "docs/concordance.md says nothing of %s, slide %s", lecture, name)
		}
	}
}

// What the tests above rely on: a citation is found as comments write them.
func TestCitations(t *testing.T) {
	assert.Equal(t, []citation{
		{"Reiser", []string{"5.8", "5.11", "5.23"}},
		{"Prabhakaran", []string{"6", "34"}},
		{"HAW", nil},
		{"Reiser", []string{"5.15 to 5.17"}},
	}, citations("Reiser 2002, slides 5.8, 5.11 and 5.23, and Prabhakaran, slides 6 and 34: 2T, as HAW has. (Reiser 2002, slides 5.15 to 5.17)"))
	assert.True(t, within("5.15–5.17", "5.16"))
	assert.True(t, within("23, 26", "26"))
	assert.True(t, within("5.18–5.22", "5.20 to 5.30"))
	assert.False(t, within("5.9–5.10", "5.1"))
}
