package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant/overlay"
)

// A paging is a call of doorway page.
type paging struct {
	*command
	to     string
	closed bool
}

func newPage() *command {
	c := newCommand("page", "[run | scenario.txt | algorithm]", "run, step and check algorithms in a browser")
	p := &paging{command: c}
	c.file(&p.to, "o", "write index.html into this `directory`, for a web server, and do not open it")
	c.is(&p.closed, "closed", "do not open the page")
	c.words = func() []string {
		return catalog.Names(subjects(right, wrong, leaving, passing, printed, system))
	}
	c.run = p.run
	return c
}

func (p *paging) run(ctx context.Context, s streams, operands []string) error {
	text, err := p.text(operands)
	if err != nil {
		return err
	}
	file, err := p.file()
	if err != nil {
		return err
	}
	err = temporarily(ctx, whyPage, func(ctx context.Context, goTool, temp string) error {
		return building(s, "the page", func() error { return buildPage(ctx, goTool, temp, file) })
	})
	if err != nil {
		return err
	}
	s.say(fmt.Sprintf("%s is the page.\n", file))
	address := addressed(file, text)
	if p.to != "" || p.closed {
		return nil
	}
	return open(ctx, address)
}

// text returns what the page opens with, as its address has it; "": its own choice.
func (p *paging) text(operands []string) (string, error) {
	if len(operands) == 0 {
		return "", nil
	}
	what, err := p.operand(streams{}, operands, "run, scenario or algorithm", "a run, a scenario or an algorithm")
	if err != nil {
		return "", err
	}
	if of, is := find(subjects(right, wrong, leaving), what); is {
		return fmt.Sprintf("processes %d; lock %s", of.processes(), of.Name), nil
	}
	if of, is := algorithm(what); is {
		return fmt.Sprintf("nodes 3; algorithm %s", of.Name), nil
	}
	if strings.ContainsAny(what, "; \n") {
		return what, nil
	}
	text, err := os.ReadFile(what)
	return string(text), err
}

// file returns the path of the page.
func (p *paging) file() (string, error) {
	if p.to != "" {
		return filepath.Join(p.to, "index.html"), os.MkdirAll(p.to, 0o777)
	}
	dir, err := overlay.Dir("page")
	return filepath.Join(dir, "doorway.html"), cmp.Or(err, os.MkdirAll(dir, 0o777))
}

// addressed returns the address of the page in a file that opens with a run.
func addressed(file, text string) string {
	of := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	if text == "" {
		return of.String()
	}
	return of.String() + "#" + url.PathEscape(text)
}

// open has the system open an address.
func open(ctx context.Context, address string) error {
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	cmd := exec.CommandContext(ctx, opener[0], append(opener[1:], address)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not open %s: open it in a browser yourself (%w)\n%s", opener[0], address, err, out)
	}
	return nil
}
