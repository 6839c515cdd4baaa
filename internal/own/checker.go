// Package own is the program that checks, stresses and traces a lock or a protocol of another module. Doorway has the go
// command build it in that module. It writes its answer to standard output, behind the mark, and ends when its standard
// input does.
package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/internal/own/constructor"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
)

// quick is the most processes with which data races and safe registers are checked
// unless the request wants everything.
const quick = 3

type mistake struct{ error } // in the request

// A checker checks what a constructor makes.
type checker struct {
	Request
	constructor.Made
	start time.Time
}

// Main checks what the constructor makes, as the argument of the program asks for.
func Main(name string, of any) {
	out := os.Stdout
	os.Stdout = os.Stderr // for what the constructor prints
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes but its end
		os.Exit(130)
	}()
	made, err := constructor.Of(name, of)
	c := checker{Made: made, start: time.Now()}
	if err == nil {
		err = json.Unmarshal([]byte(os.Args[1]), &c.Request)
	}
	var m Message
	if err == nil {
		err = c.answer(&m)
	}
	m.Elapsed = time.Since(c.start)
	m.fail(err)
	text, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s%s", Mark, text)
	}
	if err != nil {
		os.Exit(1) // there is no reader
	}
}

func (c checker) answer(m *Message) (err error) {
	switch {
	case c.Stress != nil:
		m.Stressed, err = c.stress()
	case c.Scenario != "" && c.Nodes == nil:
		err = mistake{fmt.Errorf("%s makes a lock, and what has a run to trace is a protocol: doorway check takes both", c.Name)}
	case c.Scenario != "":
		m.Run, err = c.run(c.Scenario, c.Processes)
	case c.Nodes != nil:
		m.Nodes, err = c.checkNodes()
	default:
		m.Report, err = c.check()
	}
	return err
}

// fail adds an error to what there is.
func (m *Message) fail(err error) {
	var wrong mistake
	switch {
	case err == nil || errors.As(err, &m.Refused):
	case errors.As(err, &wrong):
		m.Mistake = err.Error()
	case errors.Is(err, explore.ErrMemory):
		m.Memory = err.Error()
	default:
		m.Error = err.Error()
	}
}

func (c checker) check() (*explore.Report, error) {
	if len(c.OfProtocols) > 0 {
		return nil, mistake{fmt.Errorf("-%s is for a protocol, and %s makes a lock", c.OfProtocols[0], c.Name)}
	}
	first, err := c.made(c.Lock, max(c.Processes, 2))
	if err != nil {
		return nil, err
	}
	n := first.Processes()
	if _, ok := first.(mutex.Abortable); (c.GiveUp || c.Mixed) && !ok {
		flag := "-give-up"
		if c.Mixed {
			flag = "-mixed"
		}
		return nil, mistake{fmt.Errorf("%s: %s makes a %T, which has no TryLock(int) bool and LockContext(context.Context, int) error", flag, c.Name, first)}
	}
	config := explore.Config{
		New: c.Lock, Processes: n, Cap: uint64(c.Numbers), GiveUp: c.GiveUp, Mixed: c.Mixed, Workers: c.Workers, Memory: int64(c.Memory) << 20,
		Progress: c.progress(n),
	}
	if n > quick && !c.Everything {
		config.Only = explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}
	}
	return explore.Check(config)
}

// progress returns what shows how far a check of n processes or nodes has come.
func (c checker) progress(n int) func(doing string, states int, bytes int64) {
	return func(doing string, states int, bytes int64) {
		if c.Progress {
			fmt.Fprintf(os.Stderr, "\r\x1b[K%.0f s, %s: n = %d, %d MiB: %s %s",
				time.Since(c.start).Seconds(), c.Name, n, bytes>>20, spelling.Thousands(states), doing)
		}
	}
}

// made returns newLock(n). It returns an error if that panics, or makes none, or not one for as many processes
// as are asked for.
func (c checker) made(newLock func(n int) mutex.Mutex, n int) (lock mutex.Mutex, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%s panics: %v", c.Name, e)
		}
	}()
	switch lock = newLock(n); {
	case lock == nil:
		return nil, fmt.Errorf("%s returns nil", c.Name)
	case c.Processes > 0 && lock.Processes() != c.Processes:
		return nil, mistake{fmt.Errorf("-n %d: %s makes a lock for %d", c.Processes, c.Name, lock.Processes())}
	}
	return lock, nil
}

func (c checker) checkNodes() (m *Nodes, err error) {
	if len(c.OfLocks) > 0 {
		return nil, mistake{fmt.Errorf("-%s is for a lock, and %s makes a protocol", c.OfLocks[0], c.Name)}
	}
	w, err := c.Workload.Sized(c.Processes, Workload{Requests: Requests{1, 1, 1}, Within: UnboundedWithin})
	if err != nil {
		return nil, err
	}
	m = &Nodes{Nodes: len(w.Requests), Workload: w}
	m.Report, m.Broke, err = CheckNodes(w.Onto(explore.NodesConfig{
		New: c.Nodes(m.Nodes), Nodes: m.Nodes, Workers: c.Workers, Memory: int64(c.Memory) << 20, Progress: c.progress(m.Nodes),
	}))
	if err == nil && c.Draw {
		m.Picture, err = c.shown(m)
	}
	return m, err
}

// shown draws the run of the first failure that a scenario repeats; "": there is none.
func (c checker) shown(m *Nodes) (picture string, err error) {
	all := []*explore.History{m.Broke}
	if m.Report != nil {
		r := m.Report
		for _, v := range []explore.NodesVerdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.Quiescent, r.FIFO} {
			all = append(all, v.History)
		}
	}
	k := slices.IndexFunc(all, func(h *explore.History) bool { return h != nil && h.Scenario != "" })
	if k < 0 {
		return "", nil
	}
	return c.run(all[k].Scenario, m.Nodes)
}

// run runs a scenario of n nodes, and returns its picture, or else its events.
func (c checker) run(scenario string, n int) (string, error) {
	s, err := sim.ReadScenario("the scenario of the run", strings.NewReader(scenario))
	if err != nil {
		return "", err
	}
	r, err := spacetime.OfScenario("", s, func(sim.Setting) (messaging.Algorithm, error) { return c.Nodes(n), nil })
	if err != nil {
		return "", err
	}
	r.Title, r.From = Title(c.Name, n), c.From
	var text strings.Builder
	if c.Draw {
		err = r.WriteSVG(&text)
	} else {
		err = r.WriteText(&text)
	}
	return text.String(), err
}

// Title returns that of the picture of a run.
func Title(name string, nodes int) string { return fmt.Sprintf("%s, %d nodes", name, nodes) }
