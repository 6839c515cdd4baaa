package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/spelling"
)

func TestNearest(t *testing.T) {
	names := []string{"bakery", "bakery-classic", "bakery-simple", "clh", "lamportfast"}
	for written, want := range map[string]string{
		"bakry": "bakery", "Bakery": "bakery", "lamport": "lamportfast", "bakery-": "bakery",
		"bakery-s": "bakery", "fast": "", "xyz": "", "": "",
	} {
		assert.Equal(t, want, spelling.Nearest(written, names), "the nearest of %q", written)
	}
	names = append(names, "bakery-blackwhite")
	for written, want := range map[string]string{
		"bakry": "did you mean bakery?", "bake": "did you mean bakery?",
		"bakery-xyz": "", "l": "did you mean lamportfast?", "": "",
		"b": "did you mean bakery, bakery-classic, bakery-simple or bakery-blackwhite?",
	} {
		assert.Equal(t, want, spelling.Suggest(written, names), "the suggestion for %q", written)
	}
	names = append(names, "bakery-fifth")
	assert.Empty(t, spelling.Suggest("b", names), "a suggestion of too many")
	assert.Equal(t, "the locks are clh and mcs", spelling.Choices("the locks are", "x", []string{"clh", "mcs"}))
}
