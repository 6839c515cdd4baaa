package tutorial

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// A tutorial is a page that can be followed. The words in front of a block between
// fences, or its language, say what the block is:
//
//	Save this as `name`:   the file of that name
//	diff                   a change of the saved files; the first one is permanent,
//	                       each other one is undone at the next heading
//	console                commands, each after a $, and their output
//	text                   some lines of the output of tutorial.test, without the prefixes
//	                       of logged messages
//	Go, or none            shown, and not followed
//
// The commands before the first file set up the directory. Each later block, and
// test, runs in its own copy of the directory as it is at that place of the page,
// concurrently with the others.
//
// Output shows /home/you for the parent of the directory. Times in seconds are not
// compared. An argument that ends in =../doorway stands for this module.
type tutorial struct {
	file      string   // the page
	root      string   // this module
	directory string   // the name of the reader's directory
	test      []string // the command whose output blocks of text quote

	// sources are the directories of the module that the output depends on.
	sources []string
}

// follow follows the page in subtests named line=, and fails the test where the
// page shows something else than happens. With -update it writes the actual output
// to the page. It blocks until all blocks are done.
func (p tutorial) follow(t *testing.T) {
	t.Helper()
	tier.NeedsFull(t, "builds another module, several times")
	p.dependOnSources(t)
	text := page.Read(t, p.file)
	all := blocks(text)
	r := p.begin(t)
	t.Run("block", func(t *testing.T) {
		for k := range all {
			r.follow(t, &all[k])
		}
	})
	if page.Updating() {
		for _, b := range slices.Backward(all) {
			text = text[:b.start] + b.body + text[b.end:]
		}
		write(t, p.file, text)
	}
}

// dependOnSources reads the sources, so that the go command does not take the result
// of the test from its cache when they have changed.
func (p tutorial) dependOnSources(t *testing.T) {
	t.Helper()
	for _, dir := range p.sources {
		err := filepath.WalkDir(filepath.Join(p.root, dir), func(name string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				_, err = os.ReadFile(name)
			}
			return err
		})
		require.NoError(t, err)
	}
}

// follow does what b says, or compares its output.
func (r *reader) follow(t *testing.T, b *block) {
	t.Helper()
	switch {
	case b.file != "", b.language == "diff":
		r.save(t, *b)
	case b.language == "":
		r.now = r.kept
	case len(r.now) == 0:
		r.compare(t, b)
	default:
		t.Run(fmt.Sprintf("line=%d", b.line), func(t *testing.T) {
			own := r.elsewhere(t)
			t.Parallel()
			own.compare(t, b)
		})
	}
}

// compare fails if b shows something else than is printed, and corrects it.
func (r *reader) compare(t *testing.T, b *block) {
	t.Helper()
	if strings.Contains(b.body, " -race ") && strings.TrimSpace(r.run(t, "go", "env", "CGO_ENABLED")) != "1" {
		t.Skip("the race detector needs cgo")
	}
	got := r.shows(t, *b)
	if steady(got) == steady(b.body) {
		return
	}
	if !page.Updating() {
		t.Errorf("%s:%d: the page shows\n%s\nthe output is\n%s\n-update writes it to the page", r.page.file, b.line, b.body, got)
	}
	b.body = got
}

// shows returns what b should show.
func (r *reader) shows(t *testing.T, b block) string {
	t.Helper()
	switch b.language {
	case "console":
		var all strings.Builder
		for line := range strings.Lines(b.body) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all.WriteString(line + r.run(t, strings.Fields(command)...))
			}
		}
		return all.String()
	case "text":
		return excerpt(r.run(t, r.page.test...), b.body)
	}
	t.Fatalf("%s:%d: a block of %s has no meaning", r.page.file, b.line, b.language)
	return ""
}
