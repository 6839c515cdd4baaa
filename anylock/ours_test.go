package anylock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/anylock/internal/source"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/tier"
)

// Each package is listed once.
func init() {
	var mu sync.Mutex
	listed := map[string]*source.List{}
	list = func(ctx context.Context, dir string, test bool, pattern string) (l *source.List, err error) {
		dir, err = filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		question := fmt.Sprint(dir, test, pattern)
		if l = listed[question]; l == nil {
			l, err = source.Load(ctx, dir, test, pattern)
			listed[question] = l
		}
		return l, err
	}
}

// ours are the packages whose goroutines wait for each other by more than a mutex.
var ours = []string{".", "../internal/memory/cell", "../register", "../mutex", "../internal/memory/renaming", "../mcs", "../messaging/cluster"}

// Scenarios are what goroutines run in all interleavings, by number: the function Scenario in the tests of a package.
type scenarios struct {
	*source.Source
}

// scenariosOf returns the scenarios of a package, with some of its text edited.
func scenariosOf(t *testing.T, dir string, edit func(file string, text []byte) []byte) scenarios {
	t.Helper()
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	l, err := list(t.Context(), dir, true, ".")
	require.NoError(t, err)
	s, err := l.Source(l.With(filepath.Join(dir, "scenarios_test.go")), edit)
	require.NoError(t, err)
	return scenarios{s}
}

// code returns the code of scenario k.
func (s scenarios) code(k int) *code {
	return &code{Source: s.Source, make: s.Main.Func("Scenario"), args: []uint64{uint64(k)}}
}

// names returns those of all scenarios.
func (s scenarios) names(t *testing.T) (all []string) {
	t.Helper()
	m := machine.New(s.Program).Start(s.Main.Func("Scenario"))
	for {
		words, err := m.Call(s.Main.Func("Scenario"), uint64(len(all)))
		require.NoError(t, err)
		name := m.Text(words[0])
		if name == "" {
			return all
		}
		all = append(all, name)
	}
}

// explore explores a scenario up to so many states; 0: all.
func (s scenarios) explore(t *testing.T, k int, name string, limit int) (*Report, error) {
	t.Helper()
	return Config{Memory: 6 << 30, bound: bounded[name]}.explore(t.Context(), s.code(k), limit)
}

// withoutReflection replaces what package host does by reflection, for nodes that do it themselves, and messages that refer
// to no memory.
func withoutReflection(file string, text []byte) []byte {
	for _, change := range [][3]string{
		{"site.go", "\tcheckDurable(s.node)\n", ""},
		{"site.go", "v := reflect.ValueOf(s.node); s.node == nil || v.Kind() == reflect.Pointer && v.IsNil()", "s.node == nil && reflect.Pointer > 0"},
		{"site.go", "\trecall(s.node, crashed)\n", "\ts.node.(interface{ Recall(messaging.Node) }).Recall(crashed)\n"},
		{"durable.go", "var typeOfNode = reflect.TypeFor[messaging.Node]()", "var typeOfNode reflect.Type"},
		{"copy.go", "\tif !loose(m) {\n", "\tif true {\n"},
	} {
		if filepath.Base(file) == change[0] {
			text = bytes.Replace(text, []byte(change[1]), []byte(change[2]), 1)
		}
	}
	return text
}

// bounded are the scenarios that have too many states without a bound on preemptions.
var bounded = map[string]int{
	"tournament of three": 3, "tournament of three, one gives up": 2, "tournament, twice, and the clock goes on": 3, "bakery of three": 2, "lamportfast of three": 3,
	"lamportfast, twice, and the clock goes on": 3, "graunkethakkar of three": 2, "tournament of four": 1,
	"desk: both enter twice": 3, "asker: both enter twice": 3, "desk: one enters, one gives up and comes again": 3, "asker: one enters, one gives up and comes again": 3,
	"desk: one tries, and then enters, and it is closed": 3, "desk: three enter": 2,
	"mourner: one enters, the other crashes and enters again": 3, "mourner: two enter, and one crashes": 2, "mourner: two enter, and one stops": 2,
	"mourner: one host crashes it, and another restarts it": 2, "mourner: one enters, one tries and crashes": 2, "mourner: two enter, and one crashes and restarts": 2,
	"desk: a goroutine goes on, and its user gives up": 3, "asker: a goroutine goes on, and its user gives up": 3,
}

// What this library synchronises its own goroutines with holds in all interleavings.
func TestOurs(t *testing.T) {
	for _, dir := range ours {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			s := scenariosOf(t, dir, withoutReflection)
			for k, name := range s.names(t) {
				t.Run(name, func(t *testing.T) {
					r, err := s.explore(t, k, name, tier.Fewer(tier.Pick(3_000, 0)))
					if errors.Is(err, errLimit) {
						tier.NeedsFull(t, "has more states: nothing fails in the first ones")
					}
					require.NoError(t, err)
					require.NoError(t, r.Err())
					t.Log(r)
				})
			}
		})
	}
}

// A change to the source that breaks it is shown by a scenario, and one that does not is by none.
func TestOursBroken(t *testing.T) {
	if tier.Race {
		t.Skip("nothing here runs concurrently that does not in TestOurs")
	}
	for _, dir := range ours[1:] { // whole locks consist of the others
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			names := sync.OnceValue(func() []string { return scenariosOf(t, dir, withoutReflection).names(t) })
			all, err := variant.ReadChanges(filepath.Join(dir, "testdata", "changes.txt"))
			require.NoError(t, err)
			for _, c := range all {
				changed, err := c.Apply(dir)
				require.NoError(t, err)
				t.Run(c.Name, func(t *testing.T) {
					tier.NeedsFull(t, "explores each change")
					broken := scenariosOf(t, dir, func(file string, text []byte) []byte {
						for name, now := range changed {
							if path, err := filepath.Abs(filepath.Join(dir, name)); err == nil && path == file {
								text = []byte(now)
							}
						}
						return withoutReflection(file, text)
					})
					shown := ""
					for k, name := range names() {
						if shown != "" || !strings.HasPrefix(name, c.Shown) {
							continue
						}
						r, err := broken.explore(t, k, name, 0)
						require.NoError(t, err)
						if err := r.Err(); err != nil {
							shown = fmt.Sprintf("%s: %v", name, err)
						}
					}
					if c.Right == "" {
						assert.NotEmpty(t, shown, "no scenario shows the fault")
					} else {
						assert.Empty(t, shown, c.Right)
					}
					t.Log(shown)
				})
			}
		})
	}
}

// The wrong locks of the literature, which package explore refutes, are refuted in the form that goroutines run, too.
func TestForms(t *testing.T) {
	if tier.Race {
		t.Skip("nothing here runs concurrently that does not in TestOurs")
	}
	for k, v := range variant.Locks {
		t.Run(v.Name, func(t *testing.T) {
			tier.NeedsFull(t, "explores each variant")
			edits := 0
			broken := scenariosOf(t, ".", func(file string, text []byte) []byte {
				if e := v.Edits[0]; strings.HasSuffix(filepath.ToSlash(file), "/"+e.File) {
					edits = bytes.Count(text, []byte(e.Old))
					text = bytes.Replace(text, []byte(e.Old), []byte(e.New), 1)
				}
				return text
			})
			switch v.Name {
			case "bakery-blackwhite/withdraw":
				t.Skip("its numbers exceed n, which is none of the properties here: nothing fails with three preemptions")
			case "bakery-blackwhite/flip":
				t.Skip("nothing fails with one preemption, nor with two if each enters once; two with two entries take more than ten minutes")
			}
			c := Config{Memory: 6 << 30}
			switch { // fewer preemptions show nothing, or more take longer
			case v.Name == "bakery/maxpos":
				c.bound = 4
			case v.Name == "graunkethakkar/just-leave":
				c.bound = 2
			case v.Refuted == variant.GivingUp:
				c.bound = 3
			}
			r, err := c.explore(t.Context(), &code{Source: broken.Source, make: broken.Main.Func("Form"), args: []uint64{uint64(k)}}, 0)
			require.NoError(t, err)
			assert.Equal(t, 1, edits)
			require.Error(t, r.Err())
			t.Log(r.Err())
		})
	}
}

// docs/checker.md has the numbers of scenarios and changes.
func TestPage(t *testing.T) {
	if tier.Race {
		t.Skip("nothing here runs concurrently that does not in TestOurs")
	}
	text, err := os.ReadFile("../docs/checker.md")
	require.NoError(t, err)
	all, changes, right := 0, 0, 0
	for _, dir := range ours {
		if all += len(scenariosOf(t, dir, withoutReflection).names(t)); dir == "." {
			continue
		}
		of, err := variant.ReadChanges(filepath.Join(dir, "testdata", "changes.txt"))
		require.NoError(t, err)
		for _, c := range of {
			if changes++; c.Right != "" {
				right++
			}
		}
	}
	sentence := fmt.Sprintf(
		"%d scenarios of goroutines that wait, store, abort, close and crash, every order of steps in %d of them, and up to three preemptions in the others. "+
			"A run refutes %d of %d changes to the source; the other %d are equivalent.", all, all-len(bounded), changes-right, changes, right)
	assert.True(t, strings.Contains(strings.Join(strings.Fields(string(text)), " "), sentence), "docs/checker.md must say: %s", sentence)
}
