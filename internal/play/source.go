package play

import (
	"io/fs"
	"path"
	"strings"
	"time"
)

// texts are source files, by the import path of their package, a slash and their name. They are a file system
// without directories.
type texts map[string]string

// sources are the source files of locks; nil: they are where this program was built.
var sources texts

// Sources says what the source files of locks are, by the import path of their package, a slash and their name. In
// a browser there are no others.
func Sources(files map[string]string) { sources = files }

// Open opens a file.
func (t texts) Open(name string) (fs.File, error) {
	text, is := t[name]
	if !is {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &aFile{strings.NewReader(text), name}, nil
}

type aFile struct {
	*strings.Reader
	name string
}

func (o *aFile) Stat() (fs.FileInfo, error) { return o, nil }
func (o *aFile) Close() error               { return nil }
func (o *aFile) Name() string               { return path.Base(o.name) }
func (o *aFile) Mode() fs.FileMode          { return 0o444 }
func (o *aFile) ModTime() time.Time         { return time.Time{} }
func (o *aFile) IsDir() bool                { return false }
func (o *aFile) Sys() any                   { return nil }
