package variant_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/variant"
)

func TestFind(t *testing.T) {
	dirs := map[string]bool{}
	for _, v := range variant.All() {
		found, ok := variant.Find(v.Name)
		assert.True(t, ok, v.Name)
		assert.Equal(t, v.Why, found.Why, v.Name)
		assert.False(t, dirs[v.Dir()], "%s: two have the directory %s", v.Name, v.Dir())
		dirs[v.Dir()] = true
	}
	_, ok := variant.Find("nothing")
	assert.False(t, ok, "found a variant named nothing")
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
