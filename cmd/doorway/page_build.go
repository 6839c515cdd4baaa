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
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/catalog/variant/overlay"
)

// The page is one HTML file, index.html of page/static, in which everything else is: the styles; and, packed, each
// in an element of its own, the ES modules, the WebAssembly program and the source of the locks.

const whyPage = "to make the page, doorway builds its WebAssembly program"

// A pageBuild is how the go command builds the program.
type pageBuild struct {
	root  string // of the library
	dir   string // as compile has it
	args  []string
	locks []catalog.Algorithm // whose source it has
	own   *ownCode            // nil: there is nothing of one's own
}

// buildPage writes the page to a file, with what is one's own, if that is not nil.
func buildPage(ctx context.Context, own *ownCode, goTool, temp, file string) (err error) {
	var b *pageBuild
	if own == nil {
		b, err = ofLibrary(ctx, goTool, temp)
	} else {
		b, err = own.page(ctx, goTool, temp)
	}
	if err != nil {
		return err
	}
	return b.write(ctx, goTool, temp, file)
}

// ofLibrary returns the build with what the library has.
func ofLibrary(ctx context.Context, goTool, temp string) (*pageBuild, error) {
	dir, err := directory(ctx, goTool, thisFile(), self)
	if err != nil {
		return nil, fmt.Errorf("%s%w", whyPage, err)
	}
	_, root, err := whole(ctx, goTool, dir)
	if err != nil {
		return nil, err
	}
	b := &pageBuild{root: root, dir: root, args: []string{tagged, readOnly}, locks: catalog.Algorithms}
	variants, err := b.patch()
	if err != nil {
		return nil, err
	}
	flag, err := overlaying(temp, variants)
	b.args = append(b.args, flag, "./page/wasm")
	return b, err
}

// patch adds the wrong variants, and returns the files of the overlay that has them; none if an algorithm was changed, and
// they do not apply.
func (b *pageBuild) patch() (variants map[string]string, err error) {
	variants, err = overlay.Files(b.root, true)
	if errors.Is(err, variant.ErrChanged) {
		return map[string]string{}, nil
	}
	b.args[0], b.locks = "-tags="+overlay.Tags, slices.Concat(b.locks, catalog.Broken)
	return variants, err
}

// page returns the build that has c too. Its program is built in the module of the working directory, with the library
// that this requires; and with the wrong variants if that is a checkout, as the go command overlays
// nothing in the cache of modules.
func (c *ownCode) page(ctx context.Context, goTool, temp string) (*pageBuild, error) {
	if c.written() {
		return nil, fmt.Errorf("%s.%s makes a lock without registers, which has no steps for the page: doorway check checks it as it is written",
			c.pattern, c.function)
	}
	made, err := c.find()
	if err != nil {
		return nil, err
	}
	if !constructs(made) {
		return nil, fmt.Errorf("%s.%s is no constructor: it takes n, a messaging.Start or nothing, and returns one thing, a lock, a node or a messaging.Algorithm",
			c.pattern, c.function)
	}
	b := &pageBuild{root: filepath.Dir(c.explorer.Dir), own: c, args: []string{tagged, readOnly}, locks: catalog.Algorithms}
	variants := map[string]string{}
	if c.explorer.Module.checkout() {
		if variants, err = b.patch(); err != nil {
			return nil, err
		}
	}
	flag, dir, err := c.overlaid(ctx, goTool, temp, variants)
	b.args = append(b.args, flag, dir)
	return b, err
}

// small are flags by which calls are inlined only where the checker spends its time: that makes the program smaller.
var small = []string{
	"-gcflags=all=-l", "-gcflags=runtime/...=", "-gcflags=internal/...=", "-gcflags=slices=",
	"-gcflags=" + library + "/internal/space=", "-gcflags=" + library + "/explore/...=",
}

// write writes the page to a file.
func (b *pageBuild) write(ctx context.Context, goTool, temp, file string) error {
	program := filepath.Join(temp, "doorway.wasm")
	out, err := compile(ctx, goTool, b.dir, program, inBrowser, slices.Concat([]string{"-trimpath"}, small, b.args)...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && b.own != nil:
		return b.own.broken(out, " for a browser")
	case err != nil:
		return fmt.Errorf("go build %s in %s: %w\n%s", strings.Join(b.args, " "), b.dir, err, out)
	}
	parts := map[string][]byte{}
	if parts["doorway.wasm"], err = os.ReadFile(program); err != nil {
		return err
	}
	if parts["wasm_exec.js"], err = support(ctx, goTool, b.dir); err != nil {
		return err
	}
	if parts["sources.js"], err = b.sources(); err != nil {
		return err
	}
	text, err := document(os.DirFS(filepath.Join(b.root, "page", "static")), parts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
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
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("%s, and this go command lacks a part of that: install Go from go.dev (%w)", whyPage, err)
	}
	return text, nil
}

// sources returns a module that exports the source of all locks, by the import path of the package and the file.
func (b *pageBuild) sources() ([]byte, error) {
	files := map[string]string{}
	add := func(pkg string, texts map[string][]byte) {
		for name, text := range texts {
			files[path.Join(pkg, name)] = string(text)
		}
	}
	for _, a := range b.locks {
		pkg, texts, err := a.Package(), map[string][]byte(nil), error(nil)
		if a.Broken == nil {
			texts, err = plain(filepath.Join(b.root, pkg))
		} else {
			pkg = a.Broken.Dir()
			texts, err = overlay.Sources(*a.Broken, b.root, "")
		}
		if err != nil {
			return nil, err
		}
		add(path.Join(library, pkg), texts)
	}
	if b.own != nil {
		texts, err := plain(b.own.Dir)
		if err != nil {
			return nil, err
		}
		add(b.own.ImportPath, texts)
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
