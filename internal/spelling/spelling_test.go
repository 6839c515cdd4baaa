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
}
