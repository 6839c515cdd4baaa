package variant_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/variant"
)

// No two variants are patched in one directory.
func TestDir(t *testing.T) {
	dirs := map[string]bool{}
	for _, v := range variant.All() {
		assert.False(t, dirs[v.Dir()], "%s: two have the directory %s", v.Name, v.Dir())
		dirs[v.Dir()] = true
	}
}

// The text that an edit replaces must occur exactly once.
func TestEdit(t *testing.T) {
	e := variant.Edit{File: "lock.go", Old: "a", New: "b"}
	got, err := e.Apply("cat")
	require.NoError(t, err)
	assert.Equal(t, "cbt", got)
	for _, text := range []string{"", "aa"} {
		_, err := e.Apply(text)
		assert.ErrorContains(t, err, "lock.go has", text)
	}
}
