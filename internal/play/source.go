package play

import (
	"errors"
	"io/fs"
)

// texts are source files, by the import path of their package, a slash and their name. Of that file system files are
// read whole, and not opened.
type texts map[string]string

// sources are the source files of locks; nil: they are where this program was built.
var sources texts

// Sources says what the source files of locks are, by the import path of their package, a slash and their name. In
// a browser there are no others.
func Sources(files map[string]string) { sources = files }

// ReadFile returns a file, as fs.ReadFile calls it.
func (t texts) ReadFile(name string) ([]byte, error) {
	text, is := t[name]
	if !is {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// Open is there as fs.FS has it, and opens nothing.
func (texts) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}
