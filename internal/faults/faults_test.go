package faults_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/faults"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

const (
	docs  = "../../docs/faults.md"
	again = "go generate ./internal/faults"
	prove = "go run ./internal/proofs -update"
)

// The quick tests compute the rows of these.
var quick = []string{"central", "raymond", "tokenring", "recovery-naimitrehel", "basic", "reliable"}

// golden returns the file with the rows and histories of the algorithms of a package.
func golden(pkg string) string { return filepath.Join("testdata", pkg+".txt") }

// packages returns the packages of all algorithms, in the order of the tables.
func packages() (all []string) {
	for _, table := range faults.Tables() {
		for _, s := range table.Of {
			if !slices.Contains(all, s.Package) {
				all = append(all, s.Package)
			}
		}
	}
	return all
}

// The rows of tables and the histories are what is computed.
func TestMatrix(t *testing.T) {
	for _, pkg := range packages() {
		t.Run(pkg, func(t *testing.T) {
			tier.Each(t, strings.TrimSuffix(pkg, "systems"))
			var all strings.Builder
			for _, table := range faults.Tables() {
				for _, s := range table.Of {
					if s.Package != pkg || !tier.Full && !slices.Contains(quick, s.Name) {
						continue
					}
					var cells []faults.Cell
					for _, f := range table.Faults {
						c, err := faults.Of(s, f)
						require.NoError(t, err)
						cells = append(cells, c)
					}
					of := table.Name + " " + table.Row(cells) + faults.Histories(cells)
					all.WriteString(of)
					if !tier.Full {
						assert.Contains(t, page.Read(t, golden(pkg)), of, "%s is stale: run %s", golden(pkg), prove)
					}
				}
			}
			if tier.Full {
				page.Golden(t, golden(pkg), prove, all.String())
			}
		})
	}
}

//go:generate go test -run TestPage|TestSentences . -update

// The tables of docs/faults.md have the rows of all algorithms.
func TestPage(t *testing.T) {
	all := rows(t)
	for _, table := range faults.Tables() {
		page.Generated(t, docs, table.Name, again, table.Page(all[table.Name]))
	}
}

// rows returns those of each table, in order.
func rows(t *testing.T) map[string][]string {
	t.Helper()
	of := map[[2]string]string{} // by table and algorithm
	for _, pkg := range packages() {
		for _, m := range regexp.MustCompile("(?m)^(\\w+) (\\| `(.+?)` .*\n)").FindAllStringSubmatch(page.Read(t, golden(pkg)), -1) {
			of[[2]string{m[1], m[3]}] = m[2]
		}
	}
	all := map[string][]string{}
	for _, table := range faults.Tables() {
		for _, s := range table.Of {
			all[table.Name] = append(all[table.Name], of[[2]string{table.Name, s.Name}])
		}
	}
	return all
}

// verdicts returns those of all tables.
func verdicts(t *testing.T) faults.Verdicts {
	t.Helper()
	v, all := faults.Verdicts{}, rows(t)
	for _, table := range faults.Tables() {
		v.Read(table.Heading() + strings.Join(all[table.Name], ""))
	}
	return v
}

// No cell is empty: every algorithm of the catalog has met every fault.
func TestComplete(t *testing.T) {
	known := verdicts(t)
	for _, table := range faults.Tables() {
		for _, s := range table.Of {
			for _, f := range table.Faults {
				assert.Regexp(t, `^[a-z0-9 ,]+$`, known[[2]string{s.Name, f.Name}], "%s, %s", s.Name, f.Name)
			}
		}
	}
	for _, p := range catalog.Protocols {
		assert.NotEmpty(t, known[[2]string{p.Name, "loss"}], p.Name)
	}
	for _, s := range catalog.Systems {
		assert.NotEmpty(t, known[[2]string{s.Name, "loss"}], s.Name)
	}
}

// What the lectures say of faults is what is computed, but where the page says that it is not.
func TestSentences(t *testing.T) {
	known := verdicts(t)
	rows := "| slide | it says | of | computed | |\n| --- | --- | --- | --- | --- |\n"
	for _, s := range faults.Sentences {
		row, agrees, err := s.Row(known)
		require.NoError(t, err, "%s %s: %s", s.Lecture, s.Slide, s.Says)
		assert.Equal(t, s.But == "", agrees, "%s %s: %s\n%s", s.Lecture, s.Slide, s.Says, row)
		rows += row
	}
	page.Generated(t, docs, "sentences", again, rows)
	_, _, err := faults.Sentence{Of: "central", Faults: []string{"flood"}}.Row(known)
	assert.EqualError(t, err, "there is no cell of central, flood")
}

// Each scenario of the histories fails as they say, when it is read again. There is none if a
// detector is wrong, as none is in package sim.
func TestHistories(t *testing.T) {
	var all []string
	for _, pkg := range packages() {
		text := page.Read(t, golden(pkg))
		all = append(all, regexp.MustCompile(`(?m)^## [^\n]+\n(?:[^#|\n][^|\n]*\n)*`).FindAllString(text, -1)...)
	}
	for k, section := range all {
		if !tier.Full && k%16 != 0 {
			continue
		}
		title, line, found := strings.Cut(strings.TrimSpace(section), " version 1")
		if !found {
			assert.Contains(t, section, ", which it has not", title)
			continue
		}
		verdict := strings.Split(title, ": ")[1]
		s, err := sim.ReadScenario(title, strings.NewReader("version 1"+line))
		require.NoError(t, err, title)
		run, err := s.Start(func(setting sim.Setting) (messaging.Algorithm, error) {
			if system, is := catalog.FindSystem(setting.Algorithm); is {
				s.Invariant, s.Kinds, s.Results = system.Invariant, system.Kinds, system.Results
			}
			return named.Scenario(setting)
		})
		require.NoError(t, err, title)
		failure := sim.Failure(run.Err())
		switch {
		case verdict == "two inside":
			assert.Equal(t, "exclusion", failure, title)
		case verdict == "refuses":
			assert.Equal(t, "panic", failure, title)
		case strings.Contains(verdict, "blocks"):
			assert.Equal(t, "deadlock", failure, title)
		case verdict == "endless":
			assert.Empty(t, failure, "%s: it only begins", title)
		case failure == "":
			assert.Regexp(t, `\br\d+$`, line, "%s: a node restarts last, and results are held when there are more of them", title)
		default:
			assert.Contains(t, []string{"results", "invariant"}, failure, title)
		}
	}
}

// A node that panics for another reason than a message that is impossible is no cell, nor is
// what there is no word for.
func TestErrors(t *testing.T) {
	p, _ := catalog.FindProtocol("central")
	p.New = func(int) messaging.Algorithm { return func(messaging.Start) messaging.Node { return new(broken) } }
	_, err := faults.Of(faults.Lock(p), faults.Tables()[0].Faults[0])
	assert.ErrorContains(t, err, "there is no word for this: node 0 panicked: out of paper")
	s, _ := catalog.FindSystem("basic")
	s.Results = func(messaging.Outcome) error { return errors.New("it rains") }
	_, err = faults.Of(faults.System(s), faults.Tables()[0].Faults[0])
	assert.ErrorContains(t, err, "there is no word for this: the results are wrong: it rains")
	s.Name, s.Trial.Nodes = "endless", 0
	assert.PanicsWithValue(t, "faults: the states of endless grow forever", func() { faults.System(s) })
}

type broken struct{}

func (*broken) Request(messaging.Out) { panic("out of paper") }
func (*broken) Release(messaging.Out) {}

func (*broken) Receive(messaging.ID, messaging.Message, messaging.Out) {}
