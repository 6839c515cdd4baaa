// Package page follows pages of documentation, as somebody would who reads them
// from the first line to the last: it saves the files that a page shows, makes the
// changes, types the commands, and compares what is printed with what the page shows.
// Only tests import it.
package page

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/doorway/internal/tier"
)

var update = flag.Bool("update", false, "write to the page what its commands print")

// A Page is one that can be followed. What a block between fences is, is told by
// the words in front of it or by its language:
//
//	Save this as `name`:   the file of that name
//	diff                   a change of the first file; the first change is there to stay,
//	                       and the others are taken back at the next heading
//	console                commands, each after a $, and what they print
//	text                   some lines of what Page.Test prints, without the indentation
//	                       of what is logged
//
// The commands before the first file make the directory what it is. Those of each
// later block, and Test, run in a copy of their own, with the files as they are
// there, at the same time as those of others: they see nothing of each other.
//
// What commands print is shown with /home/you for the directory above that in which
// they run, and times in seconds are not compared. If =../doorway ends an argument,
// that is a checkout of this module beside the directory.
type Page struct {
	File      string   // the page
	Root      string   // this module
	Directory string   // the name of the directory in which the reader works
	Test      []string // the command of which blocks of text are a part

	// Reports is how many messages are logged before it is said what is wrong. It
	// is for updates, where lines that are no longer printed have to be replaced.
	Reports int

	// Sources are the directories of the module that what is printed depends on.
	Sources []string
}

// Follow does what the page says, in subtests that are called line=, and has the
// test fail where something else comes of it than the page shows. With -update
// that is written to the page. It blocks until all is done.
func (p Page) Follow(t *testing.T) {
	t.Helper()
	tier.NeedsFull(t, "builds another module, several times")
	p.dependOnSources(t)
	text := read(t, p.File)
	all := blocks(text)
	r := p.begin(t)
	t.Run("block", func(t *testing.T) {
		for k := range all {
			r.follow(t, &all[k])
		}
	})
	if *update {
		write(t, p.File, updated(text, all))
	}
}

// dependOnSources reads the sources: without that, the go command would not know
// that the result of the test depends on them, and would take it from its cache.
func (p Page) dependOnSources(t *testing.T) {
	t.Helper()
	for _, dir := range p.Sources {
		err := filepath.WalkDir(filepath.Join(p.Root, dir), func(name string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				_, err = os.ReadFile(name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// updated returns the page with the blocks as they are now.
func updated(text string, all []block) string {
	for _, b := range slices.Backward(all) {
		text = text[:b.start] + b.body + text[b.end:]
	}
	return text
}

// follow does what b says, or puts into it what it should show.
func (r *reader) follow(t *testing.T, b *block) {
	t.Helper()
	switch {
	case b.file != "":
		r.save(t, *b)
	case b.language == "":
		r.takeBack(t)
	case b.language == "diff":
		r.change(t, *b)
	case r.first == "":
		r.compare(t, b)
	default:
		t.Run(fmt.Sprintf("line=%d", b.line), func(t *testing.T) {
			own := r.elsewhere(t)
			t.Parallel()
			own.compare(t, b)
		})
	}
}

// compare puts into b what it should show, and fails if that is something else.
func (r *reader) compare(t *testing.T, b *block) {
	t.Helper()
	if strings.Contains(b.body, " -race ") && strings.TrimSpace(r.run(t, "go", "env", "CGO_ENABLED")) != "1" {
		t.Skip("the race detector needs cgo")
	}
	got := r.shows(t, *b)
	if steady(got) == steady(b.body) {
		return
	}
	if !*update {
		t.Errorf("%s:%d: the page shows\n%s\nand it is\n%s\n-update writes it there", r.page.File, b.line, b.body, got)
	}
	b.body = got
}

// shows returns what should be in b.
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
		return excerpt(r.run(t, r.page.Test...), b.body, r.page.Reports)
	}
	t.Fatalf("%s:%d: nobody knows what a block of %s is", r.page.File, b.line, b.language)
	return ""
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
