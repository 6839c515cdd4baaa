package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/build"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant/overlay"
)

// A paging is a call of doorway page.
type paging struct {
	*command
	to       string
	with     string
	unopened bool
}

func newPage() *paging {
	c := newCommand("page", "[algorithm | scenario.txt | run]", "run, step and check algorithms in a browser")
	p := &paging{command: c}
	c.file(&p.to, "o", "write the page to index.html of this `directory`, for a web server, and do not open it")
	c.add("with", "put a lock or a protocol of your own on it too, made by this `constructor`, such as ./mylock.New",
		value{p.once, func() any { return p.with }})
	c.is(&p.unopened, "no-open", "do not open the page")
	c.words = func() []string { return catalog.Names(subjects(right, passing, wrong, leaving, printed, system)) }
	c.run = p.run
	return p
}

func (p *paging) run(ctx context.Context, s streams, operands []string) error {
	text, err := p.text(s, operands)
	if err != nil {
		return err
	}
	own, err := p.own(ctx)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return err
	}
	if err := p.known(text, own); err != nil {
		return err
	}
	file, err := p.file()
	if err != nil {
		return err
	}
	err = temporarily(ctx, whyPage, func(ctx context.Context, p *program) error {
		return building(s, "the page", func() error { return p.writePage(ctx, own, file) })
	})
	if err != nil {
		return err
	}
	s.say(file + " is the page: one file, which works without a network.\n")
	if p.to != "" {
		s.say("To publish it, have a web server serve " + p.to + ".\n")
	}
	if text != "" {
		s.say("Its address with the run: " + address(file, text) + "\n")
	}
	if p.to != "" || p.unopened {
		return nil
	}
	return open(file, text)
}

// own returns what is one's own; nil if there is none.
func (p *paging) own(ctx context.Context) (*ownCode, error) {
	if p.with == "" {
		return nil, nil
	}
	c, is := ownLock(p.with)
	if !is || c.function == "" {
		return nil, p.mistaken("-with %s names no constructor: it is a package, a dot and a function, such as ./mylock.New", p.with)
	}
	own, err := c.load(ctx)
	if at, none := os.Stat(c.pattern); own == nil && none == nil && at.IsDir() && !build.IsLocalImport(c.pattern) {
		err = fmt.Errorf("%w: did you mean ./%s?", err, p.with)
	}
	if err != nil {
		return nil, err
	}
	return own, own.plays()
}

// plays returns an error unless the page can have c.
func (c *ownCode) plays() error {
	if c.written() {
		return fmt.Errorf("%s.%s makes a lock without registers, which has no steps for the page: doorway check checks it as it is written",
			c.pattern, c.function)
	}
	made, err := c.find()
	if err == nil && !constructs(made) {
		err = fmt.Errorf("%s.%s is no constructor: it takes n, a messaging.Start or nothing, and returns one thing, a lock, a node or a messaging.Algorithm",
			c.pattern, c.function)
	}
	return err
}

// once is the value of -with: the page takes one.
func (p *paging) once(constructor string) error {
	switch {
	case constructor == "":
		return errors.New("it is a constructor, such as ./mylock.New")
	case p.with != "":
		return fmt.Errorf("the page takes one lock or protocol of your own, and has %s", p.with)
	}
	p.with = constructor
	return nil
}

// file returns the path of the page.
func (p *paging) file() (string, error) {
	if strings.HasSuffix(p.to, ".html") {
		return "", p.mistaken("-o %s names a file: it takes a directory, in which the page becomes index.html", p.to)
	}
	dir, err := overlay.Dir("page")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o777) // even with -o: the wrong variants are there
	}
	if err != nil {
		return "", fmt.Errorf("the page and what it is built of are kept in your cache directory: set XDG_CACHE_HOME to one that can be written (%w)", err)
	}
	if p.to != "" {
		return filepath.Join(p.to, "index.html"), nil
	}
	return filepath.Join(dir, "doorway.html"), nil
}

// address returns the address of a file with a run.
func address(file, text string) string {
	if absolute, err := filepath.Abs(file); err == nil {
		file = absolute
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // as C:/page.html
	}
	of := url.URL{Scheme: "file", Path: path}
	return of.String() + "#" + strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// openers are the programs by which systems open a file; xdg-open is that of all others.
var openers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// open has the system open a file, with a run in its address. As some systems open only files, which have no run, it then
// opens one beside it that leads there.
func open(file, text string) error {
	if text != "" {
		to := html.EscapeString(address(file, text))
		file = filepath.Join(filepath.Dir(file), "open.html")
		if err := os.WriteFile(file, []byte("<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url="+to+"\">\n"), 0o666); err != nil {
			return err
		}
	}
	opener := openers[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if err := start(exec.Command(opener[0], append(opener[1:], file)...)); err != nil {
		return fmt.Errorf("%s cannot open %s: open it in a browser yourself (%w)", opener[0], file, err)
	}
	return nil
}

// start starts a program that may become the browser, which goes on when this program has ended. It returns an
// error if it fails soon.
func start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Second):
		return nil
	}
}
