package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"

	"example.org/doorway/internal/catalog/variant/overlay"
)

// The page is one HTML file, index.html of page/static, in which everything else is: the styles; and, packed, each
// in an element of its own, the ES modules, the WebAssembly program and the source of the locks.

const whyPage = "to make the page, doorway builds its WebAssembly program"

// buildPage writes the page to a file.
func buildPage(ctx context.Context, goTool, temp, file string) error {
	dir, err := directory(ctx, goTool, thisFile(), self)
	if err != nil {
		return fmt.Errorf("%s%w", whyPage, err)
	}
	_, root, err := whole(ctx, goTool, dir)
	if err != nil {
		return err
	}
	flags, err := patchedBy(root, overlay.Tags, true, true)
	if err != nil {
		return err
	}
	program := filepath.Join(temp, "doorway.wasm")
	out, err := compile(ctx, goTool, root, program, inBrowser, append(flags, "-trimpath", "./page/wasm")...)
	if err != nil {
		return fmt.Errorf("go build ./page/wasm in %s: %w\n%s", root, err, out)
	}
	parts := map[string][]byte{}
	if parts["doorway.wasm"], err = os.ReadFile(program); err != nil {
		return err
	}
	if parts["wasm_exec.js"], err = support(ctx, goTool, root); err != nil {
		return err
	}
	if parts["sources.js"], err = sources(root); err != nil {
		return err
	}
	text, err := document(os.DirFS(filepath.Join(root, "page", "static")), parts)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// support returns wasm_exec.js, which belongs to the Go that builds.
func support(ctx context.Context, goTool, dir string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, goTool, "env", "GOROOT")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
}

// sources returns a module that exports the source of all locks, by path.
func sources(root string) ([]byte, error) {
	files := map[string]string{}
	for _, a := range slices.Concat(catalog.Algorithms, catalog.Broken) {
		dir := a.Package()
		texts, err := sourcesOf(root, a.Entry)
		if err != nil {
			return nil, err
		}
		if a.Broken != nil {
			dir = a.Broken.Dir()
		}
		for name, text := range texts {
			files[path.Join(library, dir, name)] = string(text)
		}
	}
	text, err := json.Marshal(files)
	return slices.Concat([]byte("export default "), text, []byte(";\n")), err
}

// sourcesOf returns the source of the package of a lock, by file name.
func sourcesOf(root string, of catalog.Entry) (map[string][]byte, error) {
	if of.Broken != nil {
		return overlay.Sources(*of.Broken, root, "")
	}
	return plain(filepath.Join(root, of.Package()))
}

// document returns index.html with all styles, and with all modules and parts, packed, in place of its comments.
func document(static fs.FS, parts map[string][]byte) ([]byte, error) {
	var styles, files bytes.Buffer
	err := fs.WalkDir(static, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(static, name)
		switch path.Ext(name) {
		case ".css":
			fmt.Fprintf(&styles, "<style>\n%s</style>\n", text)
		case ".js":
			parts[name] = text
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		packed, err := pack(parts[name])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&files, "<script type=\"application/octet-stream\" id=\"file:%s\">%s</script>\n", name, packed)
	}
	text, err := fs.ReadFile(static, "index.html")
	if err != nil {
		return nil, err
	}
	for comment, made := range map[string][]byte{"<!-- doorway:styles -->": styles.Bytes(), "<!-- doorway:files -->": files.Bytes()} {
		if !bytes.Contains(text, []byte(comment)) {
			return nil, errors.New("page/static/index.html lacks the comment " + comment)
		}
		text = bytes.Replace(text, []byte(comment), made, 1)
	}
	return text, nil
}

// pack returns data compressed, as text.
func pack(data []byte) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// plain returns the source of the package in a directory, by file name.
func plain(dir string) (map[string][]byte, error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, file := range all {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if made[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	return made, nil
}
