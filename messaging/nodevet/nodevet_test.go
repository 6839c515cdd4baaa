package nodevet_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/nodevet"
)

// Check finds exactly the marked lines of testdata/impure.
func TestCheck(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	err := nodevet.Check("testdata/impure")
	require.Error(t, err, "nothing was found")
	source, readErr := os.ReadFile("testdata/impure/impure.go")
	require.NoError(t, readErr)
	lines := strings.Split(string(source), "\n")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)impure\.go:(\d+):\d+: (.*)$`).FindAllStringSubmatch(err.Error(), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		got = append(got, strings.TrimSpace(lines[n-1])+" // "+m[2])
	}
	want := []string{
		`"maps" // a node has no use for package maps, which does more than compute`,
		`"math/rand/v2" // a node has no use for package math/rand/v2, which does more than compute`,
		`"os" // a node has no use for package os, which does more than compute`,
		`"sync" // a node has no use for package sync, which does more than compute`,
		`inbox   chan messaging.Message // a node has no channel`,
		`go n.run() // a node has no goroutine`,
		`for j := range n.waiting { // a range over a map has another order each time`,
		`for range n.inbox { // a node has no channel to range over`,
		`n.inbox <- m // a node sends by its Out, not by a channel`,
		`fmt.Println(<-n.inbox) // a node must not do input or output: fmt.Println is for its host`,
		`fmt.Println(<-n.inbox) // a node receives by its method Receive, not by a channel`,
		`select {} // a node has no channel to select`,
		`count++ // count is shared by all nodes and must not be written`,
		`(table.of)[1] = 2 // table is shared by all nodes and must not be written`,
		`pointer(&count) // count is shared by all nodes and must not be written`,
		`for count = range 3 { // count is shared by all nodes and must not be written`,
		`out(rand.IntN(3), os.Args, slices.Collect(maps.Keys(n.waiting))) // Args is shared by all nodes: its memory must not be passed on, since it could be written`,
		`wait := clock.After // a node has no clock: it sets timers by its Out and must not call time.After`,
		`out(clock.Now().Add(n.due), wait, fmt.Errorf("%d", 1)) // a node has no clock: it sets timers by its Out and must not call time.Now`,
		`for k = range m { // a range over a map has another order each time`,
		`mark    = func(k int) { flags[k] = true } // flags is shared by all nodes and must not be written`,
		`delete(known, 1) // known is shared by all nodes and must not be written`,
		`clear(known) // known is shared by all nodes and must not be written`,
		`copy(flags, flags[1:]) // flags is shared by all nodes and must not be written`,
		`all := flags // flags is shared by all nodes: its memory must not be passed on, since it could be written`,
		`current.addAll(nil) // current is shared by all nodes and must not be written`,
		`next, _ := iter.Pull(seq) // a node has no coroutine: iter.Pull keeps state that is in none of its fields`,
		`keep(func() { calls++ }) // calls is written by a function that outlives it: a node has no state but its fields`,
		`n.act = func() { calls = local } // calls is written by a function that outlives it: a node has no state but its fields`,
		`return func() int { calls++; k, _ := next(); return k + len(flags) } // calls is written by a function that outlives it: a node has no state but its fields`,
		`kept = append(kept, f) // kept is shared by all nodes and must not be written`,
		`kept = append(kept, f) // kept is shared by all nodes and must not be written`,
		`if _, ok := out.(interface{ Phase() int }); ok { // a node must not ask what its Out is: that differs from host to host`,
		`return fmt.Sprint(out) // a node must not inspect its Out: what is in it differs from host to host`,
		`return fmt.Sprintf("%T", any(out)) // a node must not inspect its Out: what is in it differs from host to host`,
		`hidden.add(1) // hidden is shared by all nodes: its memory must not be passed on, since it could be written`,
		`add := current.add // current is shared by all nodes and must not be written`,
		`of := nested // nested is shared by all nodes: its memory must not be passed on, since it could be written`,
		`for _, one := range many { // many is shared by all nodes: its memory must not be passed on, since it could be written`,
		`n.count = (&set{}).add // the receiver of add is written by a function that outlives it: a node has no state but its fields`,
	}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

func TestNodes(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	assert.NoError(t, nodevet.Check("testdata/pure", "../permission/ricartagrawala"))
}

// State of nodes may hide in another package of their module.
func TestImported(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module mine\n\ngo 1.26\n",
		"mine.go":        "package mine\n\nimport \"mine/within\"\n\nfunc Set() { within.Set() }\n",
		"within/code.go": "package within\n\nvar flag bool\n\nfunc Set() { flag = true }\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	assert.ErrorContains(t, nodevet.Check(dir), "code.go:5:14: flag is shared by all nodes and must not be written")
}

func TestErrs(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	for _, dir := range []string{"testdata/nowhere", "testdata"} {
		assert.Error(t, nodevet.Check(dir), "%s was examined, and nothing found", dir)
	}
}
