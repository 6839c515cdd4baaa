package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.org/doorway/internal/own"
)

// ask has the go command build the program that runs what is one's own, and returns its answer to a request. If that is an
// error, it is returned beside what there is.
func (c *command) ask(ctx context.Context, s streams, of *ownCode, r own.Request) (m *own.Message, err error) {
	if _, err := of.find(); err != nil {
		return nil, err
	}
	r.Progress = newProgress(s.err).terminal != nil
	err = temporarily(ctx, whyOwn, func(ctx context.Context, p *program) error {
		if r.Stress == nil || r.Stress.Delay > 0 { // else registers are as users have them
			p.tags = []string{explores}
		}
		if err := p.add(ctx, of); err != nil {
			return err
		}
		err := building(s, of.ImportPath+with(p.tags), func() error { return p.build(ctx, here) })
		if err == nil {
			m, err = inquire(ctx, s, of.subject().Name, p, r)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case m.Mistake != "":
		err = c.mistaken("%s", m.Mistake)
	case m.Memory != "":
		err = errors.New(m.Memory + "; -memory allows more")
	case m.Error != "":
		err = errors.New(m.Error)
	}
	return m, err
}

// ownProgram is a program with what is one's own: in a browser it is the page, elsewhere it answers requests.
const ownProgram = `package main

import (
	own %q

	%q
)

func main() { page.Main(%q, own.%s) }
`

// add makes p the program that has c. Its package is within the directory of c, so that it may import internal packages,
// but only in the overlay. If c is not of the main module, it is in the directory of that module.
func (p *program) add(ctx context.Context, c *ownCode) error {
	under := c.Dir
	if c.Module == nil || !c.Module.Main {
		out, err := exec.CommandContext(ctx, p.goTool, "env", "GOMOD").Output()
		if err != nil {
			return fmt.Errorf("go env GOMOD: %w", err)
		}
		under = filepath.Dir(strings.TrimSpace(string(out)))
	}
	p.own, p.pkg = c, filepath.Join(under, filepath.Base(p.temp)) // which has a random number in its name
	file := filepath.Join(p.temp, "main.go")
	p.replace(map[string]string{filepath.Join(p.pkg, "main.go"): file})
	text := fmt.Sprintf(ownProgram, c.ImportPath, library+"/page", c.subject().Name, c.function)
	return os.WriteFile(file, []byte(text), 0o600)
}

// broken returns the error that c does not compile, as the go command says.
func (c *ownCode) broken(said []byte, on machine, tags []string) error {
	how := with(tags)
	if on == inBrowser {
		how = " for a browser"
	}
	return fmt.Errorf("%s does not compile%s:\n%s", c.pattern, how, strings.TrimRight(string(said), "\n"))
}

// with says that a package is built with tags, if it is.
func with(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return " with the tag " + strings.Join(tags, ",")
}

// inquire runs the program with a request, and returns its answer. It removes
// the program once it runs, where it can be. When ctx is done it returns after the
// program has ended. All else that the program prints is printed to standard error.
func inquire(ctx context.Context, s streams, name string, p *program, r own.Request) (*own.Message, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, p.file(), string(request))
	cmd.Stdout, cmd.Stderr = &out, s.err
	if _, err := startTied(cmd); err != nil {
		return nil, err
	}
	_ = os.RemoveAll(p.temp)
	err = cmd.Wait()
	newProgress(s.err).clear()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	other, answer, answered := strings.Cut(out.String(), own.Mark)
	_, _ = io.WriteString(s.err, other)
	if !answered {
		return nil, fmt.Errorf("%s: its package ended the program before the check did: %w", name, cmp.Or(err, errors.New("exit status 0")))
	}
	m := new(own.Message)
	return m, json.Unmarshal([]byte(answer), m)
}
