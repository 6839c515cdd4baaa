package main

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
		files, err := copies(v, filepath.Join("..", "..", ".."))
		require.NoError(t, err, "the source has changed: change the patch, and go generate ./internal/variant")
		for name, text := range files {
			want[path.Join(v.Dir(), name)] = string(text)
		}
	}
	got := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == "." || path.Dir(name) == "generate" {
			return err
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
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
