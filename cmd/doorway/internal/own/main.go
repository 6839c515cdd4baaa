// Own checks a lock or a protocol of another module. Doorway check has the go command build
// it in that module, with the import and the constructor in place of those below, and
// gives it a request as its argument. It writes messages to standard output, each a
// line that begins with the mark, and ends when its standard input does.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"

	lock "example.org/doorway/peterson"
)

var (
	name        = "lock.New"
	constructor = any(lock.New)
)

// mark is what a line begins with that is a message, and not the output of the lock's
// package.
const mark = "\x00doorway "

// A request is how the lock or the protocol is to be checked.
type request struct {
	Processes  int // or nodes; 0: those of the lock, or two; three nodes
	Cap        uint64
	GiveUp     bool
	Mixed      bool
	Everything bool
	Workers    int
	Memory     int64

	Workload    workload
	Draw        bool     // the run that shows a failure of a protocol is wanted
	OfLocks     []string // flags that are given, and are for locks alone
	OfProtocols []string // likewise
}

// quick is the most processes with which data races and safe registers are checked
// unless the request wants everything.
const quick = 3

// A message has one of these.
type message struct {
	Progress *progress          `json:",omitempty"`
	Report   *explore.Report    `json:",omitempty"`
	Elapsed  time.Duration      `json:",omitempty"` // of the report
	Refused  *explore.LockError `json:",omitempty"`
	Nodes    *nodesMessage      `json:",omitempty"` // of a protocol
	Mistake  string             `json:",omitempty"` // in the request
	Memory   string             `json:",omitempty"` // the error that is [explore.ErrMemory]
	Error    string             `json:",omitempty"`
}

type progress struct {
	Processes int
	Doing     string
	States    int
	Bytes     int64
}

// A mistake is an error in the request.
type mistake struct{ error }

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // for what the constructor prints
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing comes but its end
		os.Exit(130)
	}()
	var r request
	err := json.Unmarshal([]byte(os.Args[1]), &r)
	var found *explore.Report
	start := time.Now()
	say := func(p progress) { tell(out, message{Progress: &p}) }
	switch a, is := protocol(reflect.ValueOf(constructor)); {
	case err != nil:
	case is:
		var m *nodesMessage
		if m, err = checkNodes(a, r, say); err == nil {
			tell(out, message{Nodes: m, Elapsed: time.Since(start)})
			return
		}
	default:
		found, err = check(r, say)
	}
	tell(out, conclusion(found, time.Since(start), err))
}

// tell writes a message. If it cannot be written, there is no reader, and the program ends.
func tell(out io.Writer, m message) {
	text, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(out, "\n%s%s\n", mark, text)
	}
	if err != nil {
		os.Exit(1)
	}
}

func conclusion(found *explore.Report, elapsed time.Duration, err error) message {
	var wrong mistake
	var refused *explore.LockError
	switch {
	case err == nil:
		return message{Report: found, Elapsed: elapsed}
	case errors.As(err, &refused):
		return message{Refused: refused}
	case errors.As(err, &wrong):
		return message{Mistake: err.Error()}
	case errors.Is(err, explore.ErrMemory):
		return message{Memory: err.Error()}
	}
	return message{Error: err.Error()}
}

func check(r request, say func(progress)) (*explore.Report, error) {
	if len(r.OfProtocols) > 0 {
		return nil, mistake{fmt.Errorf("-%s is for a protocol, and %s makes a lock", r.OfProtocols[0], name)}
	}
	newLock, err := adapted(reflect.ValueOf(constructor))
	if err != nil {
		return nil, err
	}
	first, err := made(newLock, max(r.Processes, 2))
	switch {
	case err != nil:
		return nil, err
	case first == nil:
		return nil, fmt.Errorf("%s returns nil", name)
	}
	n := first.Processes()
	if r.Processes > 0 && n != r.Processes {
		return nil, mistake{fmt.Errorf("-n %d: %s makes a lock for %d", r.Processes, name, n)}
	}
	if _, ok := first.(mutex.Abortable); (r.GiveUp || r.Mixed) && !ok {
		flag := "-give-up"
		if r.Mixed {
			flag = "-mixed"
		}
		return nil, mistake{fmt.Errorf("%s: %s makes a %T, which has no TryLock(int) bool and LockContext(context.Context, int) error", flag, name, first)}
	}
	config := explore.Config{
		New: newLock, Processes: n, Cap: r.Cap, GiveUp: r.GiveUp, Mixed: r.Mixed, Workers: r.Workers, Memory: r.Memory,
		Progress: func(doing string, states int, bytes int64) { say(progress{n, doing, states, bytes}) },
	}
	if n > quick && !r.Everything {
		config.Only = explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}
	}
	return explore.Check(config)
}

// made calls newLock, and returns its panic as an error.
func made(newLock func(n int) mutex.Mutex, n int) (lock mutex.Mutex, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%s panics: %v", name, e)
		}
	}()
	return newLock(n), nil
}

var mutexType = reflect.TypeFor[mutex.Mutex]()

const signatures = "a constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where T is a lock; " +
	"of a protocol it is a func(messaging.Start) messaging.Node, or returns a messaging.Algorithm, for n nodes or any number"

// adapted returns a constructor of any of the signatures as one of the first.
func adapted(c reflect.Value) (func(n int) mutex.Mutex, error) {
	t := c.Type()
	if t.Kind() != reflect.Func || t.NumIn() > 1 || t.IsVariadic() || t.NumOut() != 1 || t.NumIn() == 1 && t.In(0) != reflect.TypeFor[int]() {
		return nil, fmt.Errorf("%s is a %v: %s", name, t, signatures)
	}
	if of := t.Out(0); !of.Implements(mutexType) {
		return nil, fmt.Errorf("%s returns a %v, which has no %s: %s", name, of, strings.Join(missing(of), ", "), signatures)
	}
	return func(n int) mutex.Mutex {
		in := []reflect.Value{reflect.ValueOf(n)}[:t.NumIn()]
		lock, _ := reflect.TypeAssert[mutex.Mutex](c.Call(in)[0])
		return lock
	}, nil
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

// A workload is what users of a protocol do, and what faults there are.
type workload struct {
	Rounds      int
	Requests    []int
	Unordered   bool
	Withdrawals int
	Crashes     int
	Restarts    int
	Detected    bool
	Suspicions  int
	Losses      int
	Duplicates  int
	AnyTime     bool
	Early       int
}

// A nodesMessage has what a check of a protocol found: a report, or a run in which a node
// panics or breaks its contract.
type nodesMessage struct {
	Nodes    int
	Workload workload
	Report   *explore.NodesReport `json:",omitempty"`
	Broke    string               `json:",omitempty"` // the error
	Scenario string               `json:",omitempty"` // that repeats it
	Run      *run                 `json:",omitempty"` // the first that shows a failure
}

// A run is one of package sim. Its messages are as that writes them.
type run struct {
	Events   []event
	Failure  string   // how it fails
	Excludes [][]bool `json:",omitempty"` // by nodes, of a messaging.Sharer
}

// An event is a messaging.Event.
type event struct {
	Number, Cause uint64
	At            time.Duration
	Action        string
	From, To      messaging.ID
	Kind, Message string `json:",omitempty"`
}

var (
	startType     = reflect.TypeFor[messaging.Start]()
	nodeType      = reflect.TypeFor[messaging.Node]()
	algorithmType = reflect.TypeFor[messaging.Algorithm]()
)

// protocol returns a constructor of nodes, or of an algorithm, as one of algorithms for n
// nodes, and whether c is one.
func protocol(c reflect.Value) (made func(n int) messaging.Algorithm, is bool) {
	t := c.Type()
	if t.Kind() != reflect.Func || t.NumIn() > 1 || t.IsVariadic() || t.NumOut() != 1 {
		return nil, false
	}
	switch of := t.Out(0); {
	case t.NumIn() == 1 && t.In(0) == startType && of.Implements(nodeType):
		return func(int) messaging.Algorithm {
			return func(s messaging.Start) messaging.Node {
				n, _ := reflect.TypeAssert[messaging.Node](c.Call([]reflect.Value{reflect.ValueOf(s)})[0])
				return n
			}
		}, true
	case of.ConvertibleTo(algorithmType) && (t.NumIn() == 0 || t.In(0) == reflect.TypeFor[int]()):
		return func(n int) messaging.Algorithm {
			in := []reflect.Value{reflect.ValueOf(n)}[:t.NumIn()]
			a, _ := reflect.TypeAssert[messaging.Algorithm](c.Call(in)[0].Convert(algorithmType))
			return a
		}, true
	}
	return nil, false
}

func checkNodes(made func(n int) messaging.Algorithm, r request, say func(progress)) (m *nodesMessage, err error) {
	w := r.Workload
	n := r.Processes
	switch {
	case len(r.OfLocks) > 0:
		return nil, mistake{fmt.Errorf("-%s is for a lock, and %s makes a protocol", r.OfLocks[0], name)}
	case n == 0 && w.Requests != nil:
		n = len(w.Requests)
	case n == 0:
		n = 3
	}
	if w.Requests != nil && len(w.Requests) != n {
		return nil, mistake{fmt.Errorf("-rounds is for %d nodes, and -n for %d", len(w.Requests), n)}
	}
	if w.Requests == nil && w.Rounds == 0 {
		w.Rounds = 1
	}
	c := explore.NodesConfig{
		New: made(n), Nodes: n, Rounds: w.Rounds, Requests: w.Requests, Unordered: w.Unordered, Withdrawals: w.Withdrawals,
		Crashes: w.Crashes, Restarts: w.Restarts, Detected: w.Detected, Suspicions: w.Suspicions,
		Losses: w.Losses, Duplicates: w.Duplicates, AnyTime: w.AnyTime, Early: w.Early,
		Workers: r.Workers, Memory: r.Memory,
		Progress: func(doing string, states int, bytes int64) { say(progress{n, doing, states, bytes}) },
	}
	m = &nodesMessage{Nodes: n, Workload: w}
	m.Report, err = explore.CheckNodes(c)
	if nodetest.Failure(err) != "" {
		m.Broke, m.Scenario = err.Error(), nodetest.Scenario(err)
		err = nil
	}
	if err == nil && r.Draw {
		m.Run, err = shown(m, c.New)
	}
	return m, err
}

// shown returns the run of the first failure that a scenario repeats; nil if there is none.
func shown(m *nodesMessage, a messaging.Algorithm) (*run, error) {
	scenario := m.Scenario
	if m.Report != nil {
		for _, h := range append(m.Report.Failures(), m.Report.FIFO.History) {
			if h != nil && scenario == "" {
				scenario = h.Scenario
			}
		}
	}
	if scenario == "" {
		return nil, nil
	}
	s, err := sim.ReadScenario("the scenario of the run", strings.NewReader(scenario))
	if err != nil {
		return nil, err
	}
	r := &run{Excludes: excludes(m.Nodes, a)}
	s.Observe = func(e messaging.Event) {
		r.Events = append(r.Events, event{e.Number, e.Cause, e.At, e.Action, e.From, e.To, kind(e.Message), written(e.Message)})
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

func kind(m any) string {
	if m == nil {
		return ""
	}
	return messaging.Kind(m)
}

// written returns a message as package sim writes it in a trace: behind the verb.
func written(m any) string {
	if m == nil {
		return ""
	}
	var b strings.Builder
	sim.Trace(&b)(messaging.Event{Action: "emitted", Message: m})
	_, text, _ := strings.Cut(b.String(), " emits ")
	return strings.TrimSpace(text)
}
