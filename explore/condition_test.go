package explore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The condition of an await is read where it stands: in a literal of one or several lines, two of them, or a function of the file.
func TestCondition(t *testing.T) {
	lines := strings.Split(`
	if !l.number[j].Await(p, func(numberj uint64) bool { // 4: a } in a comment
		return numberj == 0 ||
			!precedes(numberj, j, number, i)
	}) {
	if !l.choosing[j].Await(p, zero) || // 6
		!l.number[j].Await(p, func(v uint64) bool { return v == 0 }) {
	}
	if !register.AwaitEither(p, // 3
		&l.want[j], func(wantj uint64) bool { return wantj == 0 },
		&l.turn, func(turn uint64) bool { return turn != uint64(i) },
	) {
	l.gate.Await(p, other.Opens)
	l.gate.Store(p)
	l.gate.Await(p,
func zero(v uint64) bool { return v == 0 }`, "\n")
	for line, want := range map[int]string{
		0: "", 2: "numberj == 0 || !precedes(numberj, j, number, i)", 6: "v == 0", 7: "v == 0",
		9: "wantj == 0 or turn != uint64(i)", 13: "", 14: "", 15: "", 99: "",
	} {
		assert.Equal(t, want, condition(lines, line), "line %d", line)
	}
}
