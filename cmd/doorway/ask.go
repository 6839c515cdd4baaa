package main

import (
	"bufio"
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

// ask has the go command build the program, and returns its answer to a request. If that is an error, it is
// returned beside what there is.
func (c *command) ask(ctx context.Context, s streams, of *ownCode, r own.Request) (m *own.Message, err error) {
	if _, err := of.find(); err != nil {
		return nil, err
	}
	err = temporarily(ctx, whyOwn, func(ctx context.Context, goTool, temp string) error {
		var program string
		tag := r.Stress == nil || r.Stress.Delay > 0 // else registers are as users have them
		err := building(s, of.ImportPath+with(tag), func() (err error) {
			program, err = of.build(ctx, goTool, temp, tag)
			return err
		})
		if err == nil {
			m, err = inquire(ctx, s, of.subject().Name, program, r)
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

// build builds the program that checks the lock, in the directory temp.
func (c *ownCode) build(ctx context.Context, goTool, temp string, tag bool) (program string, err error) {
	overlay, dir, err := c.overlaid(ctx, goTool, temp, map[string]string{})
	if err != nil {
		return "", err
	}
	program = filepath.Join(temp, "check.exe")
	tags := "-tags="
	if tag {
		tags = tagged
	}
	out, err := compile(ctx, goTool, "", program, here, tags, readOnly, overlay, dir)
	if err != nil && ctx.Err() == nil {
		return "", c.broken(out, with(tag))
	}
	return program, err
}

// ownProgram is a program with what is one's own: in a browser it is the page, elsewhere it answers requests.
const ownProgram = `package main

import (
	own %q

	%q
)

func main() { page.Main(page.Own{Name: %q, New: own.%s}) }
`

// overlaid writes the program that has c to the directory temp. It returns the flag by which it is
// a package in dir: within the directory of c, so that it may import internal packages, but only
// an overlay of the file system, to which it is added, has it there. If c is not of the main module,
// it is in the directory of that module.
func (c *ownCode) overlaid(ctx context.Context, goTool, temp string, overlay map[string]string) (flag, dir string, err error) {
	under := c.Dir
	if c.Module == nil || !c.Module.Main {
		out, err := exec.CommandContext(ctx, goTool, "env", "GOMOD").Output()
		if err != nil {
			return "", "", fmt.Errorf("go env GOMOD: %w", err)
		}
		under = filepath.Dir(strings.TrimSpace(string(out)))
	}
	dir = filepath.Join(under, filepath.Base(temp)) // which has a random number in its name
	file := filepath.Join(temp, "main.go")
	overlay[filepath.Join(dir, "main.go")] = file
	text := fmt.Sprintf(ownProgram, c.ImportPath, library+"/page", c.subject().Name, c.function)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", "", err
	}
	flag, err = overlaying(temp, overlay)
	return flag, dir, err
}

// overlaying writes an overlay of files to the directory temp, and returns the flag of a build that has it.
func overlaying(temp string, replace map[string]string) (flag string, err error) {
	file := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	return "-overlay=" + file, err
}

// broken returns the error that c does not compile, as the go command says.
func (c *ownCode) broken(said []byte, with string) error {
	return fmt.Errorf("%s does not compile%s:\n%s", c.pattern, with, strings.TrimRight(string(said), "\n"))
}

// with says that a package is built with the tag, if it is.
func with(tag bool) string {
	if tag {
		return " with the tag doorway_explore"
	}
	return ""
}

// inquire runs the program with a request, and returns its last message. It removes
// the program once it runs, where it can be. When ctx is done it returns after the
// program has ended.
func inquire(ctx context.Context, s streams, name, program string, r own.Request) (*own.Message, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, string(request))
	cmd.Stderr = s.err
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := startTied(cmd); err != nil {
		return nil, err
	}
	_ = os.RemoveAll(filepath.Dir(program))
	ended := make(chan struct{})
	last, err := watch(context.WithoutCancel(ctx), newProgress(s.err), func(say func(string)) (*own.Message, error) {
		defer close(ended)
		last, err := heard(out, s.err, func(far *own.Progress) {
			reporting(say, name, number(far.Processes, "process", "processes"))(far.Doing, far.States, far.Bytes)
		})
		return last, errors.Join(err, cmd.Wait())
	})
	<-ended
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case last == nil:
		if err == nil {
			err = errors.New("exit status 0")
		}
		return nil, fmt.Errorf("%s: its package ended the program before the check did: %w", name, err)
	}
	return last, nil
}

// heard reads the messages of the program, and returns the last; nil if there is none
// but of progress. All else that it prints goes to other.
func heard(r io.Reader, other io.Writer, progress func(*own.Progress)) (last *own.Message, err error) {
	for b := bufio.NewReader(r); ; {
		line, err := b.ReadString('\n')
		text, is := strings.CutPrefix(line, own.Mark)
		m := new(own.Message)
		switch {
		case !is:
			if line != "\n" {
				_, _ = io.WriteString(other, line)
			}
		case json.Unmarshal([]byte(text), m) != nil:
			return nil, fmt.Errorf("no message: %q", text)
		case m.Progress != nil:
			progress(m.Progress)
		default:
			last = m
		}
		if errors.Is(err, io.EOF) {
			return last, nil
		} else if err != nil {
			return nil, err
		}
	}
}
