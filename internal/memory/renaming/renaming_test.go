package renaming_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/memory/renaming"
)

// The numbers are the smallest ones, a value keeps its address, and the number that was
// given back last is the first to be taken.
func TestTable(t *testing.T) {
	made := 0
	table := renaming.New(4, func(v *int) {
		*v = made
		made++
	})
	assert.Equal(t, 4, made)
	const n = 100
	var at [n]*int
	seen := map[int]bool{}
	for range n {
		i := table.Take()
		assert.False(t, seen[i], "%d is taken twice", i)
		assert.Equal(t, i, *table.At(i))
		seen[i], at[i] = true, table.At(i)
	}
	assert.Len(t, seen, n)
	assert.Equal(t, 128, made)
	for i := range n {
		assert.Same(t, at[i], table.At(i))
		table.Give(i)
		assert.Equal(t, i, table.Take())
	}
	for i := range n {
		table.Give(i)
	}
	for range 128 {
		table.Take()
	}
	assert.Equal(t, 128, made, "all that were given back can be taken")
}

func TestFull(t *testing.T) {
	table := renaming.New(renaming.Most/2, func(*struct{}) {})
	for range renaming.Most {
		assert.NotEqual(t, -1, table.Take())
	}
	assert.Equal(t, -1, table.Take())
	table.Give(17)
	assert.Equal(t, 17, table.Take())
}
