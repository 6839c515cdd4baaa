//go:build doorway_explore

package renaming

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// Changes that give a number twice or lose one, or might.
var changes = []variants.Change{
	{
		Name:  "the numbers that have been taken are not counted",
		File:  "renaming.go",
		Shown: "four numbers",
		Old:   "(free>>numbers+1)<<numbers|next",
		New:   "free>>numbers<<numbers|next",
	},
	{
		Name:  "whoever gives a number back does not link it again after a failed try",
		File:  "renaming.go",
		Shown: "four numbers",
		Old:   "if next := free & (1<<numbers - 1); last.next.Load() != next {",
		New:   "if next := free & (1<<numbers - 1); last.next.Load() == 0 {",
	},
	{
		Name:  "a number is taken without a comparison",
		File:  "renaming.go",
		Shown: "one number, one goroutine twice, one once",
		Old:   "\t\tif t.free.CompareAndSwap(free, (free>>numbers+1)<<numbers|next) {\n\t\t\treturn i\n\t\t}\n",
		New:   "\t\tt.free.Store((free>>numbers+1)<<numbers | next)\n\t\treturn i\n",
	},
	{
		Name:  "whoever makes the table grow does not look again",
		File:  "renaming.go",
		Shown: "one number, two goroutines twice",
		Old:   "\tif t.free.Load()&(1<<numbers-1) != 0 {\n\t\treturn -1\n\t}\n",
		New:   "",
		Right: "the table is larger than it need be, and loses no number",
	},
	{
		Name:  "the table grows without a lock",
		File:  "renaming.go",
		Shown: "one number, three goroutines",
		Old:   "\tt.mu.Lock()\n\ti := t.grown()\n\tt.mu.Unlock()\n",
		New:   "\ti := t.grown()\n",
	},
	{
		Name:  "new numbers are found before their values",
		File:  "renaming.go",
		Shown: "two numbers",
		Old:   "\t\tt.more[k].Store(c) // before the numbers are found\n\t\tif link(c.entries, n); n > 1 {\n\t\t\tt.give(&c.entries[n-1], n+1)\n\t\t}\n",
		New:   "\t\tif link(c.entries, n); n > 1 {\n\t\t\tt.give(&c.entries[n-1], n+1)\n\t\t}\n\t\tt.more[k].Store(c)\n",
	},
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBroken(t *testing.T) {
	tier.NeedsFull(t, "compiles a copy of this package with each change")
	variants.Check(t, "renaming_scenarios_explore_test.go", changes)
}
