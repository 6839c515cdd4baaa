package tutorial

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// The page is testdata/page.md, or the one that TestFollowFinds names.
func TestFollow(t *testing.T) {
	file := os.Getenv("PAGE")
	if file == "" {
		file = "testdata/page.md"
	}
	tutorial{file: file, root: "../../..", directory: "there", test: []string{"cat", "story_test.go"}}.follow(t)
}

// Each wrong block of a page is found, and corrected with -update where it can be.
func TestFollowFinds(t *testing.T) {
	tier.NeedsFull(t, "follows pages")
	right := page.Read(t, "testdata/page.md")
	for _, c := range []struct {
		what, old, new string
		says           string
		mends          bool
	}{
		{"what commands print", "made\n```", "mad\n```", "page.md:6: the page shows\n$ touch made\n$ ls\nmad\n\nthe output is\n$ touch made\n$ ls\nmade\n\n-update", true},
		{"what a later one prints", "a time.\n$ touch", "a tim.\n$ touch", "page.md:36: the page shows", true},
		{"an excerpt", "\n// The end.\n```\n\n##", "\n// An end.\n```\n\n##", "// Once upon a time.\n\n// The end.\n\n-update writes it to the page", true},
		{"a diff that does not fit", "-// Two.", "-// Too.", "page.md:44: these lines are in the files 0 times:\n// Too.\n", false},
		{"a diff that fits twice", " // Once upon a time.\n@@\n", " \n@@\n", "page.md:44: these lines are in the files 6 times:", false},
		{"a file that is not formatted", "// Two.\n```\n\nSave", "//  Two. \n```\n\nSave", "page.md:14: story_test.go is not formatted", false},
		{"a block of a language", "```console\n$ cat", "```sh\n$ cat", "page.md:36: a block of sh has no meaning", false},
		{"an unknown command", "$ touch gone", "$ touche gone", `"touche": executable file not found`, false},
	} {
		wrong := strings.Replace(right, c.old, c.new, 1)
		require.NotEqual(t, right, wrong, "%s: the page was not changed", c.what)
		file := filepath.Join(t.TempDir(), "page.md")
		write(t, file, wrong)
		if out, failed := follow(t, file); !failed || !strings.Contains(out, c.says) {
			t.Errorf("%s: failed: %t, with\n%s\nwant: %s", c.what, failed, out, c.says)
		}
		assert.Equal(t, wrong, page.Read(t, file), "%s: the page was written to", c.what)
		if out, failed := follow(t, file, "-update"); failed == c.mends || c.mends && page.Read(t, file) != right {
			t.Errorf("%s: updated, it is\n%s\nand the test says\n%s", c.what, page.Read(t, file), out)
		}
	}
}

var indentation = regexp.MustCompile(`(?m)^ +`) // of what is logged

// follow runs TestFollow with another page, and returns what it prints.
func follow(t *testing.T, file string, flags ...string) (out string, failed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(flags, "-test.run=^TestFollow$")...)
	cmd.Env = append(os.Environ(), "PAGE="+file)
	text, err := cmd.CombinedOutput()
	return indentation.ReplaceAllString(string(text), ""), err != nil
}

func TestExcerpt(t *testing.T) {
	const output = `=== RUN   TestLock
    lock_test.go:52: 2 processes
          exclusion  fails

    lock_test.go:54: exclusion fails: 0 and 1
        step  process
           1  0
--- FAIL: TestLock (0.26s)
    --- FAIL: TestLock/deep (0.26s)
        deep_test.go:7: deep
FAIL
`
	for _, c := range []struct {
		shown string
		want  string
	}{
		{"exclusion fails: 0 and 1\nstep  process\n", "exclusion fails: 0 and 1\nstep  process\n"},
		{"step  process\n   2  0\n", "step  process\n   1  0\n"},
		{"deep\n", "deep\n"},
		{"starvation\n", "2 processes\n"},
		{"", "2 processes\n"},
	} {
		assert.Equal(t, c.want, excerpt(output, c.shown), "%q", c.shown)
	}
	assert.Equal(t, "panic: oh\n", excerpt("panic: oh\nand more\n", "FAIL\n"), "of what logs nothing")
}

func TestSteady(t *testing.T) {
	assert.Equal(t, steady("ok  	mylock	0.158s\n"), steady("ok  	mylock	12.1s\n"), "times make a difference")
	assert.NotEqual(t, steady("2 processes"), steady("3 processes"), "numbers make none")
}
