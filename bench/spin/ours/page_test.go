package main_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
)

const checker = "../../../docs/checker.md"

// The tables of docs/checker.md that compare the checker with SPIN are made from
// results.md, which has what the script run printed.
func TestPage(t *testing.T) {
	exclusion, starvation := results(t)
	page.Generated(t, checker, "spin", "go test ./bench/spin/ours -update",
		table("| mutual exclusion | n | states | transitions | SPIN, depth first | SPIN, 2 workers | explore | explore, 2 workers |", exclusion, 0, 1, 3, 4, 5, 6, 7, 8)+"\n"+
			table("| starvation-free, weak fairness | n | SPIN | explore | explore, 2 workers |", starvation, 0, 1, 4, 5, 6))
}

// Where both tables of docs/checker.md have a lock, its states and steps are the same.
// Those of the other table are computed by package internal/proof.
func TestStates(t *testing.T) {
	text, err := os.ReadFile(checker)
	require.NoError(t, err)
	exclusion, _ := results(t)
	same := 0
	for _, cells := range exclusion {
		lock, _, _ := strings.Cut(cells[0], ":")
		row := regexp.MustCompile(`(?m)^\| ` + lock + ` \| ` + cells[1] + ` \| ([\d,]+) \| ([\d,]+) \| [^|]+ \| [^|]+ \|$`)
		if m := row.FindStringSubmatch(string(text)); m != nil {
			assert.Equal(t, grouped(cells[3])+" "+grouped(cells[4]), m[1]+" "+m[2], "%s, n = %s", lock, cells[1])
			same++
		}
	}
	assert.GreaterOrEqual(t, same, 10, "rows to compare")
}

// results returns the cells of both tables of results.md.
func results(t *testing.T) (exclusion, starvation [][]string) {
	t.Helper()
	text, err := os.ReadFile("../results.md")
	require.NoError(t, err)
	var all [][][]string
	for line := range strings.Lines(string(text)) {
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
	require.Len(t, all, 2, "tables")
	return all[0], all[1]
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

var integer = regexp.MustCompile(`^\d{4,}$`)

func grouped(cell string) string {
	if !integer.MatchString(cell) {
		return cell
	}
	for k := len(cell) - 3; k > 0; k -= 3 {
		cell = cell[:k] + "," + cell[k:]
	}
	return cell
}
