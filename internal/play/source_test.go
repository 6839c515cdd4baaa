package play

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSources(t *testing.T) {
	files := texts{"a/lock/b.go": "b", "a/lock/a.go": "package lock", "a/lock/in/c.go": "c"}
	text, err := fs.ReadFile(files, "a/lock/a.go")
	require.NoError(t, err)
	assert.Equal(t, "package lock", string(text))
	_, err = fs.ReadFile(files, "a/lock")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
