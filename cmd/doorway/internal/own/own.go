// Package own checks a lock or a protocol of another module. Doorway check has the go command build
// it in that module, as package main, with a main function that calls Main. It writes messages to
// standard output, each a line that begins with the mark, and ends when its standard input does.
package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
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
	name        string
	constructor reflect.Value
	say         func(n int, doing string, states int, bytes int64)
}

// Main checks what the constructor makes, as the argument of the program asks for.
func Main(name string, constructor any) {
	out := os.Stdout
	os.Stdout = os.Stderr // for what the constructor prints
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes but its end
		os.Exit(130)
	}()
	c := checker{name: name, constructor: reflect.ValueOf(constructor)}
	c.say = func(n int, doing string, states int, bytes int64) {
		tell(out, Message{Progress: &Progress{n, doing, states, bytes}})
	}
	start := time.Now()
	var m Message
	err := json.Unmarshal([]byte(os.Args[1]), &c.Request)
	switch a, is := protocol(c.constructor); {
	case err != nil:
	case c.Stress != nil:
		m.Stressed, err = c.stress(a)
	case c.Scenario != "" && !is:
		err = mistake{fmt.Errorf("%s makes a lock, and what has a run to trace is a protocol: doorway check takes both", name)}
	case c.Scenario != "":
		m.Run, err = run(c.Scenario, c.Processes, a(c.Processes))
	case is:
		m.Nodes, err = c.checkNodes(a)
	default:
		m.Report, err = c.check()
	}
	m.Elapsed = time.Since(start)
	if err != nil {
		stressed := m.Stressed
		m = failed(err)
		m.Stressed = stressed
	}
	tell(out, m)
}

// tell writes a message. If it cannot be written, there is no reader, and the program ends.
func tell(out io.Writer, m Message) {
	text, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(out, "\n%s%s\n", Mark, text)
	}
	if err != nil {
		os.Exit(1)
	}
}

func failed(err error) Message {
	var wrong mistake
	var refused *explore.LockError
	switch {
	case errors.As(err, &refused):
		return Message{Refused: refused}
	case errors.As(err, &wrong):
		return Message{Mistake: err.Error()}
	case errors.Is(err, explore.ErrMemory):
		return Message{Memory: err.Error()}
	}
	return Message{Error: err.Error()}
}

func (c checker) check() (*explore.Report, error) {
	if len(c.OfProtocols) > 0 {
		return nil, mistake{fmt.Errorf("-%s is for a protocol, and %s makes a lock", c.OfProtocols[0], c.name)}
	}
	newLock, err := c.adapted()
	if err != nil {
		return nil, err
	}
	first, err := c.made(newLock, max(c.Processes, 2))
	if err != nil {
		return nil, err
	}
	n := first.Processes()
	if _, ok := first.(mutex.Abortable); (c.GiveUp || c.Mixed) && !ok {
		flag := "-give-up"
		if c.Mixed {
			flag = "-mixed"
		}
		return nil, mistake{fmt.Errorf("%s: %s makes a %T, which has no TryLock(int) bool and LockContext(context.Context, int) error", flag, c.name, first)}
	}
	config := explore.Config{
		New: newLock, Processes: n, Cap: uint64(c.Numbers), GiveUp: c.GiveUp, Mixed: c.Mixed, Workers: c.Workers, Memory: int64(c.Memory) << 20,
		Progress: func(doing string, states int, bytes int64) { c.say(n, doing, states, bytes) },
	}
	if n > quick && !c.Everything {
		config.Only = explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}
	}
	return explore.Check(config)
}

// made returns newLock(n). It returns an error if that panics, or makes none, or not one for as many processes
// as are asked for.
func (c checker) made(newLock func(n int) mutex.Mutex, n int) (lock mutex.Mutex, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%s panics: %v", c.name, e)
		}
	}()
	switch lock = newLock(n); {
	case lock == nil:
		return nil, fmt.Errorf("%s returns nil", c.name)
	case c.Processes > 0 && lock.Processes() != c.Processes:
		return nil, mistake{fmt.Errorf("-n %d: %s makes a lock for %d", c.Processes, c.name, lock.Processes())}
	}
	return lock, nil
}

var mutexType = reflect.TypeFor[mutex.Mutex]()

const signatures = "a constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where T is a lock; " +
	"of a protocol it is a func(messaging.Start) messaging.Node, or returns a messaging.Algorithm, for n nodes or any number"

// adapted returns a constructor of any of the signatures as one of the first.
func (c checker) adapted() (func(n int) mutex.Mutex, error) {
	of, call := sized(c.constructor)
	if call == nil {
		return nil, fmt.Errorf("%s is a %v: %s", c.name, c.constructor.Type(), signatures)
	}
	if !of.Implements(mutexType) {
		return nil, fmt.Errorf("%s returns a %v, which has no %s: %s", c.name, of, strings.Join(missing(of), ", "), signatures)
	}
	return func(n int) mutex.Mutex {
		lock, _ := reflect.TypeAssert[mutex.Mutex](call(n))
		return lock
	}, nil
}

// sized returns what c returns and what calls it, if it is a func(n int) T or a func() T; otherwise nil.
func sized(c reflect.Value) (of reflect.Type, call func(n int) reflect.Value) {
	t := c.Type()
	if t.Kind() != reflect.Func || t.NumIn() > 1 || t.IsVariadic() || t.NumOut() != 1 || t.NumIn() == 1 && t.In(0) != reflect.TypeFor[int]() {
		return nil, nil
	}
	return t.Out(0), func(n int) reflect.Value { return c.Call([]reflect.Value{reflect.ValueOf(n)}[:t.NumIn()])[0] }
}

// missing returns the methods of a lock that a type does not have.
func missing(t reflect.Type) (all []string) {
	for k := range mutexType.NumMethod() {
		want := mutexType.Method(k)
		m, ok := t.MethodByName(want.Name)
		if ok && t.Kind() != reflect.Interface {
			m.Type = reflect.Zero(t).Method(m.Index).Type() // without its receiver
		}
		if !ok || m.Type != want.Type {
			all = append(all, want.Name+strings.TrimPrefix(want.Type.String(), "func"))
		}
	}
	return all
}

// protocol returns a constructor of nodes, or of an algorithm, as one of algorithms for n
// nodes, and whether c is one.
func protocol(c reflect.Value) (made func(n int) messaging.Algorithm, is bool) {
	algorithm := reflect.TypeFor[messaging.Algorithm]()
	if of, call := sized(c); call != nil && of.ConvertibleTo(algorithm) {
		return func(n int) messaging.Algorithm {
			a, _ := reflect.TypeAssert[messaging.Algorithm](call(n).Convert(algorithm))
			return a
		}, true
	}
	t, start := c.Type(), reflect.TypeFor[messaging.Start]()
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.In(0) != start || t.IsVariadic() || t.NumOut() != 1 ||
		!t.Out(0).Implements(reflect.TypeFor[messaging.Node]()) {
		return nil, false
	}
	return func(int) messaging.Algorithm {
		return func(s messaging.Start) messaging.Node {
			n, _ := reflect.TypeAssert[messaging.Node](c.Call([]reflect.Value{reflect.ValueOf(s)})[0])
			return n
		}
	}, true
}

func (c checker) checkNodes(made func(n int) messaging.Algorithm) (m *Nodes, err error) {
	w, n := c.Workload, c.Processes
	switch {
	case len(c.OfLocks) > 0:
		return nil, mistake{fmt.Errorf("-%s is for a lock, and %s makes a protocol", c.OfLocks[0], c.name)}
	case n == 0 && len(w.Requests) > 1:
		n = len(w.Requests)
	case n == 0:
		n = 3
	}
	w = w.For(n)
	if len(w.Requests) != n {
		return nil, mistake{fmt.Errorf("-rounds is for %d nodes, and -n for %d", len(w.Requests), n)}
	}
	config := w.Onto(explore.NodesConfig{
		New: made(n), Nodes: n, Workers: c.Workers, Memory: int64(c.Memory) << 20,
		Progress: func(doing string, states int, bytes int64) { c.say(n, doing, states, bytes) },
	})
	if c.Workload.Requests == nil {
		config.UnboundedWithin = UnboundedWithin
	}
	m = &Nodes{Nodes: n, Workload: w}
	m.Report, m.Broke, err = CheckNodes(config)
	if err == nil && c.Draw {
		m.Run, err = shown(m, config.New)
	}
	return m, err
}

// shown returns the run of the first failure that a scenario repeats; nil if there is none.
func shown(m *Nodes, a messaging.Algorithm) (*Run, error) {
	all := []*explore.History{m.Broke}
	if m.Report != nil {
		r := m.Report
		for _, v := range []explore.NodesVerdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.Quiescent, r.FIFO} {
			all = append(all, v.History)
		}
	}
	k := slices.IndexFunc(all, func(h *explore.History) bool { return h != nil && h.Scenario != "" })
	if k < 0 {
		return nil, nil
	}
	return run(all[k].Scenario, m.Nodes, a)
}

// run runs a scenario of n nodes.
func run(scenario string, n int, a messaging.Algorithm) (*Run, error) {
	s, err := sim.ReadScenario("the scenario of the run", strings.NewReader(scenario))
	if err != nil {
		return nil, err
	}
	r := &Run{Excludes: excludes(n, a)}
	s.Observe = func(e messaging.Event) {
		of := Event{Event: e}
		if e.Message != nil {
			of.Kind, of.Text, of.Message = messaging.Kind(e.Message), written(e.Message), nil
		}
		r.Events = append(r.Events, of)
	}
	var output strings.Builder
	if _, err := s.Run(&output, func(sim.Setting) (messaging.Algorithm, error) { return a, nil }); err != nil {
		return nil, err
	}
	if _, failure, fails := strings.Cut("\n"+output.String(), "\nfails at "); fails {
		r.Failure = "fails at " + strings.TrimSpace(failure)
	}
	return r, nil
}

// excludes returns which nodes exclude each other; nil if all do.
func excludes(n int, a messaging.Algorithm) (all [][]bool) {
	for i := range n {
		s, ok := messaging.As[messaging.Sharer](a(messaging.Start{Self: messaging.ID(i), Nodes: n}))
		if !ok {
			return nil
		}
		row := make([]bool, n)
		for j := range row {
			row[j] = i != j && s.Excludes(messaging.ID(j))
		}
		all = append(all, row)
	}
	return all
}

// written returns a message as package sim writes it in a trace: behind the verb.
func written(m any) string {
	var b strings.Builder
	sim.Trace(&b)(messaging.Event{Action: "emitted", Message: m})
	_, text, _ := strings.Cut(b.String(), " emits ")
	return strings.TrimSpace(text)
}
