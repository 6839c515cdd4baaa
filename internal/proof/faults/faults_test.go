package faults

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

const (
	docs     = "../../../docs/faults.md"
	lectures = "../../../docs/disagreements.md"
	again    = "go generate ./internal/proof/faults"
	prove    = "go run ./internal/proof/run -update"
)

// The quick tests compute the rows of these.
var quick = []string{"central", "raymond", "tokenring", "recovery-naimitrehel", "basic", "reliable"}

// golden returns the file with the rows and histories of the algorithms of a package.
func golden(pkg string) string { return filepath.Join("testdata", pkg+".txt") }

// packages returns the packages of all algorithms, in the order of the tables.
func packages() (all []string) {
	for _, table := range tables() {
		for _, s := range table.of {
			if !slices.Contains(all, s.pkg) {
				all = append(all, s.pkg)
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
			for _, table := range tables() {
				for _, s := range table.of {
					if s.pkg != pkg || !tier.Full && !slices.Contains(quick, s.name) {
						continue
					}
					var cells []cell
					for _, f := range table.faults {
						c, err := cellOf(s, f)
						require.NoError(t, err)
						cells = append(cells, c)
					}
					of := table.name + " " + table.row(cells) + histories(cells)
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
	for _, table := range tables() {
		page.Generated(t, docs, table.name, again, table.page(all[table.name]))
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
	for _, table := range tables() {
		for _, s := range table.of {
			all[table.name] = append(all[table.name], of[[2]string{table.name, s.name}])
		}
	}
	return all
}

// verdicts are those of tables, by algorithm and fault.
type verdicts map[[2]string]string

// known returns those of all tables.
func known(t *testing.T) verdicts {
	t.Helper()
	known, all := verdicts{}, rows(t)
	for _, table := range tables() {
		for k, s := range table.of {
			cells := strings.Split(strings.Trim(all[table.name][k], "| \n"), " | ")
			for i, f := range table.faults {
				if at := 1 + len(table.marks) + i; at < len(cells) {
					known[[2]string{s.name, f.name}], _, _ = strings.Cut(cells[at], ":")
				}
			}
		}
	}
	return known
}

// No cell is empty: every algorithm of the catalog has met every fault.
func TestComplete(t *testing.T) {
	known := known(t)
	for _, table := range tables() {
		for _, s := range table.of {
			for _, f := range table.faults {
				assert.Regexp(t, `^[a-z0-9 ,]+$`, known[[2]string{s.name, f.name}], "%s, %s", s.name, f.name)
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

// What the lectures say of faults is what is computed, but for the sentences on the page, which says why.
func TestSentences(t *testing.T) {
	known := known(t)
	rows, agree := "| slide | it says | computed | what holds |\n| --- | --- | --- | --- |\n", 0
	for _, s := range sentences {
		var computed, but []string
		for _, i := range s.of {
			text, agrees, err := i.computed(known)
			require.NoError(t, err, "%s %s: %s", s.lecture, s.slide, s.says)
			assert.Equal(t, i.but == "", agrees, "%s %s: %s\n%s", s.lecture, s.slide, s.says, text)
			computed = append(computed, text)
			if !agrees {
				but = append(but, i.but)
			}
		}
		if len(but) > 0 {
			rows += s.row(computed, but)
		} else {
			agree++
		}
	}
	page.Generated(t, lectures, "sentences", again, fmt.Sprintf("%s\nThe other %d sentences about faults hold as they stand.\n", rows, agree))
	_, _, err := instance{algorithm: "central", faults: []string{"flood"}}.computed(known)
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
	_, err := cellOf(lock(p), tables()[0].faults[0])
	assert.ErrorContains(t, err, "there is no word for this: S1 asks, and panics: out of paper")
	s, _ := catalog.FindSystem("basic")
	s.Results = func(messaging.Outcome) error { return errors.New("it rains") }
	_, err = cellOf(system(s), tables()[0].faults[0])
	assert.ErrorContains(t, err, "there is no word for this: the results are wrong: it rains")
	s.Name, s.Trial.Nodes = "endless", 0
	assert.PanicsWithValue(t, "faults: the states of endless grow forever", func() { system(s) })
}

type broken struct{}

func (*broken) Request(messaging.Out) { panic("out of paper") }
func (*broken) Release(messaging.Out) {}

func (*broken) Receive(messaging.ID, messaging.Message, messaging.Out) {}
