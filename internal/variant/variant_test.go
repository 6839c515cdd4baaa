package variant_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/variant"
)

// The compiled copies are up to date with the source and the patches, and there are
// no others.
func TestGenerated(t *testing.T) {
	want := map[string]string{}
	for _, v := range variant.All() {
		files, err := v.Generate(filepath.Join("..", ".."))
		require.NoError(t, err, "the source has changed: change the patch, and go generate ./internal/variant")
		for name, text := range files {
			want[path.Join(v.Dir(), name)] = string(text)
		}
	}
	got := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == "." || path.Dir(name) == "generate" {
			return err
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		got[name] = string(text)
		return err
	}))
	for name := range want {
		assert.Equal(t, want[name], got[name], "%s: go generate ./internal/variant", name)
		delete(got, name)
	}
	for name := range got {
		assert.Fail(t, "no patch makes "+name)
	}
}

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
