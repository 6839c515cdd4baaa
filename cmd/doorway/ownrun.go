package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.org/doorway/cmd/doorway/internal/own"
	"example.org/doorway/explore"
	"example.org/doorway/internal/registers"
)

// The program that checks a lock of one's own is made of the source of package own.
var (
	//go:embed internal/own/message.go
	ownMessages string
	//go:embed internal/own/own.go
	ownChecker string
	//go:embed internal/own/stress.go
	ownStress string
)

// runOwn checks a lock of one's own.
func (u *checkup) runOwn(ctx context.Context, s streams, c constructor) error {
	if c.name == "" {
		return u.mistaken("%s names no constructor: the operand is a package, a dot and a function, such as ./mylock.New", c.pattern)
	}
	if err := u.misfit(); err != nil {
		return err
	}
	u.Draw, u.OfLocks, u.OfProtocols = u.svg != "", u.given(ofLocks), u.given(ofProtocols)
	a, err := u.ask(ctx, s, c, u.Request)
	if err != nil {
		return u.hint(err)
	}
	err = u.answer(s, a.subject, a.Message)
	if a.Report != nil && u.test != "" && (err == nil || errors.Is(err, errViolated)) {
		err = cmp.Or(u.writeTest(s, c, a.goPackage, a.fn.Type.Params.NumFields() > 0, a.Report), err)
	}
	return err
}

// An answer is what the program says of what a constructor makes.
type answer struct {
	subject
	*own.Message
	*goPackage
	fn *ast.FuncDecl
}

// ask has the go command build the program, and returns its answer to a request. If that is an error, it is
// returned beside what there is.
func (c *command) ask(ctx context.Context, s streams, of constructor, r own.Request) (a answer, err error) {
	why := "to run what is your own, doorway has the go command build it"
	err = temporarily(ctx, why, func(ctx context.Context, goTool, temp string) (err error) {
		if a.goPackage, err = of.list(ctx, goTool); err != nil {
			return err
		}
		if a.fn, err = of.find(a.goPackage); err != nil {
			return err
		}
		a.subject = of.subject(a.goPackage)
		var program string
		tag := r.Stress == nil || r.Stress.Delay > 0 // else registers are as users have them
		err = building(s, a.ImportPath+with(tag), func() (err error) {
			program, err = of.build(ctx, goTool, temp, tag, a.goPackage)
			return err
		})
		if err == nil {
			a.Message, err = inquire(ctx, s, a.subject.Name, program, r)
		}
		return err
	})
	switch {
	case err != nil:
		return a, err
	case a.Mistake != "":
		return a, c.mistaken("%s", a.Mistake)
	case a.Memory != "":
		return a, errors.New(a.Memory + "; -memory allows more")
	case a.Message.Error != "":
		return a, errors.New(a.Message.Error)
	}
	return a, nil
}

// build builds the program that checks the lock, in the directory temp. Its package is
// one in the directory of the lock, so that it may import internal packages, but only
// an overlay of the file system has it there. If the lock is not of the main module,
// it is in the directory of that module.
func (c constructor) build(ctx context.Context, goTool, temp string, tag bool, l *goPackage) (program string, err error) {
	under := l.Dir
	if l.Module == nil || !l.Module.Main {
		out, err := exec.CommandContext(ctx, goTool, "env", "GOMOD").Output()
		if err != nil {
			return "", fmt.Errorf("go env GOMOD: %w", err)
		}
		under = filepath.Dir(strings.TrimSpace(string(out)))
	}
	main := fmt.Sprintf("package main\n\nimport lock %q\n\nfunc main() { Main(%q, lock.%s) }\n", l.ImportPath, l.Name+"."+c.name, c.name)
	replace, dir := map[string]string{}, filepath.Join(under, filepath.Base(temp)) // which has a random number in its name
	for name, text := range map[string]string{"main.go": main, "message.go": ownMessages, "own.go": ownChecker, "stress.go": ownStress} {
		file := filepath.Join(temp, name)
		replace[filepath.Join(dir, name)] = file
		text = strings.Replace(text, "package own\n", "package main\n", 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(temp, "check.exe")
	tags := "-tags="
	if tag {
		tags = tagged
	}
	out, err := compile(ctx, goTool, "", program, tags, readOnly, "-overlay="+overlay, dir)
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("%s does not compile%s:\n%s", c.pattern, with(tag), strings.TrimRight(string(out), "\n"))
	}
	return program, err
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

// answer prints what a message says.
func (u *checkup) answer(s streams, lock subject, m *own.Message) error {
	switch r := m.Report; {
	case r != nil:
		alone := registers.Accesses{Reads: r.Reads, Writes: r.Writes, Registers: len(r.Registers)}
		if r.MutualExclusion.Status != explore.Holds {
			alone.Reads, alone.Writes = -1, -1
		}
		return u.conclude(s, newFinding(lock, r.Cap, r, alone, m.Elapsed).result(s.width))
	case m.Nodes != nil:
		f := &nodesFinding{of: lock, Nodes: m.Nodes.Nodes, workload: workload{Workload: m.Nodes.Workload}, Elapsed: m.Elapsed}
		if m.Nodes.Run != nil {
			f.drawn = drawing(m.Nodes.Run, lock.Name, f.Nodes)
		}
		return u.conclude(s, f.with(m.Nodes.Report, m.Nodes.Broke).result(s.width))
	case m.Refused.Trace != nil:
		return u.refuse(s, lock, m.Refused)
	}
	return m.Refused
}
