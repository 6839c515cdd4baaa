// Package overlay makes source of the patches of package variant, for a build that has the
// wrong variants: the go command takes their files from an overlay, as if they were in
// the tree.
package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"example.org/doorway/internal/catalog/variant"
)

// With Tag the catalog has the variants, and with Tags locks can be explored too.
const (
	Tag  = "doorway_variants"
	Tags = "doorway_explore," + Tag
)

// Write writes the overlay that [Files] returns for a build without -trimpath, and returns its path.
func Write(root string) (file string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace, err := Files(root, false)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	dir, err := Dir(root)
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, write(file, text)
}

// Files writes the source of all variants of the module in directory root to files of the user's
// cache, and returns by which of them an overlay replaces which. What is there already stays as it is, so that
// the go command knows its results, and several programs can write at once. Trimmed is for a build with
// -trimpath, whose traces have the paths of the packages; other traces have those of files that exist.
func Files(root string, trimmed bool) (replace map[string]string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	dir, err := Dir(root)
	if err != nil {
		return nil, err
	}
	if trimmed {
		dir = filepath.Join(dir, "trimmed")
	}
	replace = map[string]string{}
	for _, v := range variant.All() {
		in := filepath.FromSlash(v.Dir())
		from, shown := filepath.Join(dir, "overlay", in), filepath.Join(dir, "source", in)
		at := shown
		if trimmed {
			at = ""
		}
		files, err := Sources(v, root, at)
		if err != nil {
			return nil, err
		}
		for name, text := range files {
			replace[filepath.Join(root, in, name)] = filepath.Join(from, name)
			// Where a file has the path in the overlay, the compiler records that in the tree.
			if err := errors.Join(write(filepath.Join(from, name), text), write(filepath.Join(shown, name), text)); err != nil {
				return nil, err
			}
		}
		if err := removeOthers(shown, files); err != nil {
			return nil, err
		}
	}
	list := filepath.Join(root, "internal", "catalog", "variants.go")
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	replace[list] = filepath.Join(dir, "overlay", "internal", "catalog", "variants.go")
	return replace, write(replace[list], bytes.Replace(text, []byte("//go:build ignore\n"), []byte("//go:build "+Tag+"\n"), 1))
}

// removeOthers removes the source files in dir that earlier versions of a variant had.
func removeOthers(dir string, files map[string][]byte) error {
	there, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range there {
		if files[filepath.Base(file)] == nil {
			if gone := os.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// Dir returns the directory of the cache for what is made of the module in directory root.
func Dir(root string) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "doorway", fmt.Sprintf("%x", sha256.Sum256([]byte(root)))[:12]), err
}

// File returns the path of this file when it was compiled.
func File() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// write writes a file unless it is there with that text. No reader sees part of it.
func write(file string, text []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Sources returns, by file name, the patched copy of the source of v in the module in
// directory root, as it is in directory dir, where traces find their lines; "": where the package is. The comments of the
// source do not hold for the copy, which has only those of the patch; these begin with
// the word "wrong".
func Sources(v variant.Variant, root, dir string) (map[string][]byte, error) {
	patched, err := v.Apply(root)
	if err != nil {
		return nil, err
	}
	all, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(v.Package()), "*.go"))
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, file := range all {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, changed := patched[v.Package()+"/"+name]
		if !changed {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			source = string(text)
		}
		text, err := uncommented(name, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		header := "\n\n" // as many lines as with the directive
		if dir != "" {
			header = fmt.Sprintf("//line %s:2\n\n", filepath.ToSlash(filepath.Join(dir, name)))
		}
		if changed {
			header += fmt.Sprintf("// Package %s is %s, which is wrong (%s):\n// %s.\n", path.Base(v.Package()), v.Name, v.Source, v.Why)
		}
		made[name] = append([]byte(header), text...)
	}
	return made, nil
}

// uncommented returns the source without comments other than those of a patch.
func uncommented(name, text string) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	kept := []*ast.CommentGroup{}
	for _, c := range f.Comments {
		if strings.HasPrefix(c.Text(), "wrong") {
			kept = append(kept, c)
		}
	}
	f.Comments = kept
	var b bytes.Buffer
	if err := format.Node(&b, files, f); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
