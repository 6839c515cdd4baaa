package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/tier"
)

const checker = "../../../docs/checker.md"

// The tables of docs/checker.md that compare the checker with SPIN are made from
// results.md, which has what the script run printed. The page shows what has many states.
func TestPage(t *testing.T) {
	exclusion, starvation, protocols, wrong, unbounded := results(t)
	page.Generated(t, checker, "spin", "go test ./bench/spin/explore -update",
		table("| mutual exclusion | n | states | transitions | SPIN, depth first | SPIN, 2 workers | explore | explore, 2 workers |", large(t, exclusion, 3), 0, 1, 3, 4, 5, 6, 7, 8)+"\n"+
			table("| starvation-free, weak fairness | n | SPIN | explore | explore, 2 workers |", large(t, starvation, 3), 0, 1, 4, 5, 6))
	page.Generated(t, checker, "spin protocols", "go test ./bench/spin/explore -update",
		table("| mutual exclusion, progress | links | n | requests | states | transitions | SPIN, depth first | SPIN, 2 workers | explore | SPIN, bytes a state | explore, bytes a state |",
			large(t, protocols, 4), 0, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10)+"\n"+
			table("| fails | links | n | requests | steps of a shortest counterexample | SPIN, breadth first | explore |", wrong, 0, 3, 1, 2, 4, 5, 6)+"\n"+
			table("| any number of requests | n | states | transitions | SPIN | SPIN, starvation-free, weak fairness |", unbounded, 0, 1, 2, 3, 4, 6))
}

// Where package internal/proof computes the states and steps of a lock, they are the same.
func TestStates(t *testing.T) {
	exclusion, _, _, _, _ := results(t)
	same := 0
	for _, cells := range exclusion {
		lock, _, _ := strings.Cut(cells[0], ":")
		row := regexp.MustCompile(`(?m)^\| ` + lock + ` \| ` + cells[1] + ` \| ([\d,]+) \| ([\d,]+) \| [^|]+ \| [^|]+ \|$`)
		if m := row.FindStringSubmatch(page.Read(t, "../../../internal/proof/testdata/locks/"+lock+".txt")); m != nil {
			assert.Equal(t, grouped(cells[3])+" "+grouped(cells[4]), m[1]+" "+m[2], "%s, n = %s", lock, cells[1])
			same++
		}
	}
	assert.GreaterOrEqual(t, same, 10, "rows to compare")
}

// The protocols have the states and transitions of results.md, in the quick tests those
// with at most 2,000 states.
func TestProtocols(t *testing.T) {
	_, _, protocols, _, _ := results(t)
	limit, same := tier.Pick(2_000, 300_000), 0
	for _, cells := range protocols {
		if number(t, cells[4]) > limit {
			continue
		}
		name, verdict, _ := strings.Cut(cells[0], ": ")
		r := checked(t, name, cells)
		assert.Equal(t, verdict+" "+cells[4]+" "+cells[5], fmt.Sprint(r.verdict, " ", r.states, " ", r.transitions), "%v", cells)
		same++
	}
	assert.GreaterOrEqual(t, same, tier.Pick(4, 10), "rows to compare")
}

// checked is the result for the nodes, requests and links of a row.
func checked(t *testing.T, name string, cells []string) result {
	t.Helper()
	c := check{protocol: name, n: number(t, cells[1]), rounds: number(t, cells[2]), unordered: cells[3] == "unordered"}
	r, err := c.ofProtocol()
	require.NoError(t, err, "%+v", c)
	return r
}

// results returns the cells of the tables of results.md.
func results(t *testing.T) (exclusion, starvation, protocols, wrong, unbounded [][]string) {
	t.Helper()
	var all [][][]string
	for line := range strings.Lines(page.Read(t, "../results.md")) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case strings.HasPrefix(line, "|--"):
			all = append(all, nil)
		case len(all) > 0 && len(cells) > 1 && cells[1] != "n":
			all[len(all)-1] = append(all[len(all)-1], cells)
		}
	}
	require.Len(t, all, 5, "tables")
	return all[0], all[1], all[2], all[3], all[4]
}

// large returns the rows with at least 100,000 states, which a column has.
func large(t *testing.T, rows [][]string, column int) [][]string {
	t.Helper()
	return slices.DeleteFunc(rows, func(cells []string) bool { return number(t, cells[column]) < 100_000 })
}

func number(t *testing.T, cell string) int {
	t.Helper()
	k, err := strconv.Atoi(cell)
	require.NoError(t, err)
	return k
}

var spread = regexp.MustCompile(` \(.*\)`)

// table returns some cells of rows: medians without their spread, integers in groups
// of three digits.
func table(header string, rows [][]string, columns ...int) string {
	var b strings.Builder
	b.WriteString(header + "\n| ---" + strings.Repeat(" | ---:", len(columns)-1) + " |\n")
	for _, cells := range rows {
		for _, c := range columns {
			b.WriteString("| " + grouped(spread.ReplaceAllString(cells[c], "")) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// grouped returns a cell, if it is an integer, in groups of three digits.
func grouped(cell string) string {
	if n, err := strconv.Atoi(cell); err == nil {
		return spelling.Thousands(n)
	}
	return cell
}
