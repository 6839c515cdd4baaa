package main

import (
	"bytes"
	"compress/gzip"
	"context"
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

// small are flags by which calls are inlined only where the checker spends its time: that makes the program smaller.
var small = []string{
	"-gcflags=all=-l", "-gcflags=runtime/...=", "-gcflags=internal/...=", "-gcflags=slices=",
	"-gcflags=" + library + "/internal/space=", "-gcflags=" + library + "/explore/...=",
}

// writePage builds the page, with what is one's own, if that is not nil, and writes it to a file. The wrong variants are on it
// if the library is a checkout, as the go command overlays nothing in the cache of modules.
func (p *program) writePage(ctx context.Context, own *ownCode, file string) (err error) {
	root, patches := "", own == nil || own.explorer.Module.checkout()
	if own == nil {
		_, root, err = checkout(ctx, p.goTool, whyPage)
		p.dir, p.pkg = root, "./page/wasm"
	} else {
		root, err = filepath.Dir(own.explorer.Dir), p.add(ctx, own)
	}
	if err != nil {
		return err
	}
	p.tags = []string{explores}
	if patches {
		err = p.patch(root, true, false)
	}
	if err == nil {
		err = p.build(ctx, inBrowser, append(small, "-trimpath")...)
	}
	if err != nil {
		return err
	}
	parts := map[string][]byte{}
	if parts["doorway.wasm"], err = os.ReadFile(p.file()); err != nil {
		return err
	}
	if parts["wasm_exec.js"], err = p.support(ctx); err != nil {
		return err
	}
	if parts["sources.js"], err = p.sources(root); err != nil {
		return err
	}
	text, err := document(os.DirFS(filepath.Join(root, "page", "static")), parts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// support returns wasm_exec.js, which belongs to the Go that builds.
func (p *program) support(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.goTool, "env", "GOROOT")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%s, and this go command lacks a part of that: install Go from go.dev (%w)", whyPage, err)
	}
	return text, nil
}

// sources returns a module that exports the source of all locks, by the import path of the package and the file.
func (p *program) sources(root string) ([]byte, error) {
	files, locks := map[string]string{}, catalog.Algorithms
	if slices.Contains(p.tags, overlay.Tag) {
		locks = slices.Concat(locks, catalog.Broken)
	}
	add := func(pkg string, texts map[string][]byte) {
		for name, text := range texts {
			files[path.Join(pkg, name)] = string(text)
		}
	}
	for _, a := range locks {
		pkg, texts, err := a.Package(), map[string][]byte(nil), error(nil)
		if a.Broken == nil {
			texts, err = plain(filepath.Join(root, pkg))
		} else {
			pkg = a.Broken.Dir()
			texts, err = overlay.Sources(*a.Broken, root, "")
		}
		if err != nil {
			return nil, err
		}
		add(path.Join(library, pkg), texts)
	}
	if p.own != nil {
		texts, err := plain(p.own.Dir)
		if err != nil {
			return nil, err
		}
		add(p.own.ImportPath, texts)
	}
	text, err := json.Marshal(files)
	return slices.Concat([]byte("export default "), text, []byte(";\n")), err
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

// pack returns data compressed, as text in which HTML finds no element.
func pack(data []byte) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = z.Write(data)
	err = errors.Join(err, z.Close())
	return digits(b.Bytes()), err
}

// digits returns data in digits of base 91, from ! on, with ~ in place of <: two for each 13 bits, and one for the last
// 5 or fewer. Base64 takes a twelfth more.
func digits(data []byte) string {
	text := make([]byte, 0, len(data)*16/13+2)
	digit := func(d uint32) {
		c := byte('!' + d)
		if c == '<' {
			c = '~'
		}
		text = append(text, c)
	}
	bits, have := uint32(0), 0
	for _, b := range data {
		bits |= uint32(b) << have
		if have += 8; have >= 13 {
			digit(bits % (1 << 13) % 91)
			digit(bits % (1 << 13) / 91)
			bits, have = bits>>13, have-13
		}
	}
	if have > 0 {
		digit(bits % 91)
	}
	if have > 5 {
		digit(bits / 91)
	}
	return string(text)
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
