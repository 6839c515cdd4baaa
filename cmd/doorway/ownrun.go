package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/registers"
)

// checker is the program that checks a lock of one's own. Its import and its
// constructor are replaced.
//
//go:embed internal/own/main.go
var checker string

// The same as in the checker, which cannot be imported.
const marked = "\x00doorway "

type (
	// An ownRequest is how the lock or the protocol is to be checked.
	ownRequest struct {
		Processes  int
		Cap        uint64
		GiveUp     bool
		Mixed      bool
		Everything bool
		Workers    int
		Memory     int64

		Workload    workload
		Draw        bool
		OfLocks     []string // flags that are given, and are for locks alone
		OfProtocols []string // likewise
	}

	// An ownMessage has one of these.
	ownMessage struct {
		Progress *struct {
			Processes int
			Doing     string
			States    int
			Bytes     int64
		}
		Report  *explore.Report
		Elapsed time.Duration
		Refused *explore.LockError
		Nodes   *struct {
			Nodes           int
			Workload        workload
			Report          *explore.NodesReport
			Broke, Scenario string
			Run             *ownRun
		}
		Mistake string
		Memory  string
		Error   string
	}
)

// runOwn checks a lock of one's own.
func (u *checkup) runOwn(ctx context.Context, s streams, c constructor) error {
	if c.name == "" {
		return u.mistaken("%s names no constructor: the operand is a package, a dot and a function, such as ./mylock.New", c.pattern)
	}
	return temporarily(ctx, "to check a lock of your own, doorway has the go command build it", func(ctx context.Context, goTool, temp string) error {
		l, err := c.list(ctx, goTool)
		if err != nil {
			return err
		}
		fn, err := c.find(l)
		if err != nil {
			return err
		}
		p := newProgress(s.err)
		p.show("building %s with the tag doorway_explore", l.ImportPath)
		program, err := c.build(ctx, goTool, temp, l)
		p.clear()
		if err != nil {
			return err
		}
		lock := c.candidate(l)
		last, err := u.ask(ctx, s, p, lock, program)
		if err != nil {
			return err
		}
		err = u.answer(s, lock, last)
		if last.Report != nil && *u.test != "" && (err == nil || errors.Is(err, errViolated)) {
			err = cmp.Or(u.writeTest(s, replayed{c, l, fn.Type.Params.NumFields() > 0, last.Report, s.args}), err)
		}
		return err
	})
}

// build builds the program that checks the lock, in the directory temp. Its package is
// one in the directory of the lock, so that it may import internal packages, but only
// an overlay of the file system has it there. If the lock is not of the main module,
// it is in the directory of that module.
func (c constructor) build(ctx context.Context, goTool, temp string, l *goPackage) (program string, err error) {
	under := l.Dir
	if l.Module == nil || !l.Module.Main {
		out, err := exec.CommandContext(ctx, goTool, "env", "GOMOD").Output()
		if err != nil {
			return "", fmt.Errorf("go env GOMOD: %w", err)
		}
		under = filepath.Dir(strings.TrimSpace(string(out)))
	}
	file, overlay := filepath.Join(temp, "main.go"), filepath.Join(temp, "overlay.json")
	dir := filepath.Join(under, filepath.Base(temp)) // which has a random number in its name
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(dir, "main.go"): file}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(file, []byte(c.checker(l)), 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return "", err
	}
	program = filepath.Join(temp, "check.exe")
	out, err := compile(ctx, goTool, "", program, tagged, readOnly, "-overlay="+overlay, dir)
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("%s does not compile with the tag doorway_explore:\n%s", c.pattern, strings.TrimRight(string(out), "\n"))
	}
	return program, err
}

// checker returns the source of the program that checks the lock.
func (c constructor) checker(l *goPackage) string {
	return strings.NewReplacer(
		`lock "example.org/doorway/peterson"`, "lock "+strconv.Quote(l.ImportPath),
		`"lock.New"`, strconv.Quote(l.Name+"."+c.name),
		"any(lock.New)", "any(lock."+c.name+")",
	).Replace(checker)
}

// ask runs the program that checks the lock, and returns its last message. It removes
// the program once it runs, where it can be. When ctx is done it returns after the
// program has ended.
func (u *checkup) ask(ctx context.Context, s streams, p *progress, lock candidate, program string) (*ownMessage, error) {
	w := u.workload()
	if wrong := w.mistake(); wrong != "" {
		return nil, u.mistaken("%s", wrong)
	}
	request, err := json.Marshal(ownRequest{
		*u.n, uint64(*u.numbers), *u.giveUp, *u.mixed, *u.everything, *u.workers, int64(*u.memory) << 20,
		w, *u.svg != "", u.given(ofLocks), u.given(ofProtocols),
	})
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
	last, err := watch(context.WithoutCancel(ctx), p, func(say func(string)) (*ownMessage, error) {
		defer close(ended)
		last, err := heard(out, s.err, func(m *ownMessage) {
			say(lock.name + ": " + far(m.Progress.Processes, m.Progress.Doing, m.Progress.States, m.Progress.Bytes))
		})
		return last, errors.Join(err, cmd.Wait())
	})
	<-ended
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case last == nil:
		return nil, fmt.Errorf("%s: its package ended the program before the check did: %w", lock.name, err)
	}
	return last, nil
}

// heard reads the messages of the program, and returns the last; nil if there is none
// but of progress. All else that it prints goes to other.
func heard(r io.Reader, other io.Writer, progress func(*ownMessage)) (last *ownMessage, err error) {
	for b := bufio.NewReader(r); ; {
		line, err := b.ReadString('\n')
		text, is := strings.CutPrefix(line, marked)
		m := new(ownMessage)
		switch {
		case !is:
			if line != "\n" {
				_, _ = io.WriteString(other, line)
			}
		case json.Unmarshal([]byte(text), m) != nil:
			return nil, fmt.Errorf("no message: %q", text)
		case m.Progress != nil:
			progress(m)
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
func (u *checkup) answer(s streams, lock candidate, m *ownMessage) error {
	switch r := m.Report; {
	case r != nil:
		alone := registers.Accesses{Reads: r.Reads, Writes: r.Writes, Registers: len(r.Registers)}
		if r.MutualExclusion.Status != explore.Holds {
			alone.Reads, alone.Writes = -1, -1
		}
		return u.conclude(s, &finding{lock, r.Cap, r, alone, m.Elapsed})
	case m.Nodes != nil:
		f := &nodesFinding{
			name: lock.name, source: lock.source, own: true, nodes: m.Nodes.Nodes, workload: m.Nodes.Workload,
			report: m.Nodes.Report, elapsed: m.Elapsed,
		}
		if m.Nodes.Broke != "" {
			f.broke = history(m.Nodes.Broke, m.Nodes.Scenario)
		}
		if m.Nodes.Run != nil {
			f.drawn = m.Nodes.Run.drawing(lock.name, f.nodes)
		}
		return u.concludeNodes(s, f)
	case m.Mistake != "":
		return u.mistaken("%s", m.Mistake)
	case m.Memory != "":
		return errors.New(m.Memory + "; -memory allows more")
	case m.Refused != nil && m.Refused.Trace != nil:
		return u.refuse(s, lock, m.Refused)
	case m.Refused != nil:
		return m.Refused
	}
	return u.hint(errors.New(m.Error))
}
