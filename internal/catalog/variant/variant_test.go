package variant_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog/variant"
)

// No two variants are patched in one directory.
func TestDir(t *testing.T) {
	dirs := map[string]bool{}
	for _, v := range variant.All() {
		assert.False(t, dirs[v.Dir()], "%s: two have the directory %s", v.Name, v.Dir())
		dirs[v.Dir()] = true
	}
}

// The text that an edit replaces must occur exactly once, after the edits before it.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	c := variant.Change{Edits: []variant.Edit{{"lock.go", "a", "b"}, {"lock.go", "b", "bb"}}}
	for text, want := range map[string]string{"cat": "cbbt", "": "", "aa": "", "ba": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lock.go"), []byte(text), 0o600))
		got, err := c.Apply(dir)
		if want == "" {
			assert.ErrorContains(t, err, "lock.go has", text)
		} else {
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"lock.go": want}, got)
		}
	}
}
