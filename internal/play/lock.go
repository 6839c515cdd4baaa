package play

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

const (
	// mostProcesses is how many processes of a lock a page plays at most.
	mostProcesses = 4

	// mostOfProtocols is how much memory the histories of the processes may take, in bytes: a page finds so many in a few
	// seconds.
	mostOfProtocols = 8 << 20

	// ownCap is the largest value of a register of a lock of one's own whose values grow.
	ownCap = 8

	// ruleSteps is how many steps the fixed run has that stands for the rules of a lock.
	ruleSteps = 200
)

// A lock is a run of the processes of a lock.
type lock struct {
	of  catalog.Algorithm
	new func(n int) mutex.Mutex

	// What the text of the run says.
	name      string
	processes int
	cap       uint64
	giveUp    bool

	walk     *explore.Walk
	rules    string
	files    []File
	observed int    // how many steps there have been
	until    string // what the process of the last choice awaited of one register, as the source has it
}

// String returns the directives of the run.
func (l *lock) String() string {
	text := fmt.Sprintf("processes %d; lock %s", l.processes, l.name)
	if l.cap > 0 {
		text += fmt.Sprintf("; cap %d", l.cap)
	}
	if l.giveUp {
		text += "; give up"
	}
	return text
}

// openLock opens a run of a lock, whose choices are not made yet.
func openLock(directives []string) (game, error) {
	l, err := newLock(directives)
	if err != nil {
		return nil, err
	}
	err = l.bounded(func(c explore.Config) error {
		l.walk, err = explore.Start(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.begin()
	if rules, given := value(directives, "rules"); given && rules != l.rules {
		return l, outdated(fmt.Sprintf("this run was made with other rules of %s than those that the page has", l.name))
	}
	return l, nil
}

// bounded explores the lock, with a cap if it turns out that its values grow. An error says why it is not played.
func (l *lock) bounded(explored func(explore.Config) error) error {
	err := explored(l.config())
	if err != nil && l.cap == 0 && strings.Contains(err.Error(), "set Config.Cap") {
		l.cap = ownCap
		err = explored(l.config())
	}
	switch {
	case errors.Is(err, explore.ErrBuild):
		return errors.New("this program plays no locks: it was built without the tag doorway_explore")
	case errors.Is(err, explore.ErrMemory):
		return errors.New("this lock has too many states for a page: take fewer processes, or a smaller cap")
	}
	return err
}

// newLock reads the directives of a run.
func newLock(directives []string) (*lock, error) {
	l := new(lock)
	for _, d := range without(directives, "version", "rules", "run", "processes", "lock", "cap") {
		if d != "give up" {
			return nil, fmt.Errorf("%q is no directive of a lock: they are processes, lock, cap, give up and run", d)
		}
		l.giveUp = true
	}
	l.name, _ = value(directives, "lock")
	o, isOwn := ownOf(l.name)
	a, is := catalog.Find(l.name)
	switch {
	case l.name == "":
		return nil, errors.New("the text of the run names no lock")
	case isOwn && o.Lock == nil:
		return nil, errors.New(l.name + " makes nodes: its text begins with nodes, not processes")
	case isOwn:
		a, l.new = catalog.Algorithm{Entry: o.entry()}, o.Lock
	case !is:
		return nil, fmt.Errorf("there is no lock %q", l.name)
	case a.Lacking() != nil:
		return nil, a.Lacking()
	}
	if l.new == nil {
		l.new = func(n int) mutex.Mutex { return a.New(n) }
	}
	l.of, l.processes = a, number(directives, "processes")
	if most := a.AtMost(mostProcesses); l.processes < 1 || l.processes > most {
		text, given := value(directives, "processes")
		if !given {
			text = "no number of"
		}
		return nil, fmt.Errorf("the run has %s processes, and a page plays %s with 1 to %d", text, l.name, most)
	}
	return l, l.limit(directives)
}

// limit reads the largest value of a register, which is that of the catalog if none is given.
func (l *lock) limit(directives []string) (err error) {
	const most = 1 << 16
	text, given := value(directives, "cap")
	if !given {
		l.cap = l.of.Cap(catalog.Size{Processes: l.processes, Numbers: l.numbers()})
	} else if l.cap, err = strconv.ParseUint(text, 10, 64); err != nil || l.cap < 1 || l.cap > most {
		return fmt.Errorf("cap %s: want a number from 1 to %d", text, most)
	}
	return nil
}

// numbers returns the largest number of a bakery, if none is given: such that histories are found at once.
func (l *lock) numbers() uint64 {
	most := map[int]uint64{1: 8, 2: 8, 3: 4, 4: 3}[l.processes]
	if l.of.Broken != nil {
		most /= 2
	}
	if l.giveUp && l.processes > 2 {
		most /= 2
	}
	for _, s := range l.of.Checked {
		if s.Processes == l.processes {
			most = min(most, s.Numbers)
		}
	}
	return most
}

// config returns that of a walk, or of a check.
func (l *lock) config() explore.Config {
	c := explore.Config{
		New: l.new, Processes: l.processes, Cap: l.cap, GiveUp: l.giveUp, Unexamined: true, Memory: mostOfProtocols, Workers: 1,
	}
	if sources != nil {
		c.Source = sources
	}
	return c
}

// begin finds out the rules and the files of the lock, by a fixed run that is taken back.
func (l *lock) begin() {
	for k := range ruleSteps {
		for p := range l.processes {
			next := l.walk.Pending()[(k+p)%l.processes]
			if n := len(next.Steps); n > 0 && l.walk.Do(next.Steps[k%n]) == nil {
				break
			}
		}
	}
	t := l.walk.Trace()
	var text []byte
	var paths []string
	for _, s := range t.Steps {
		register := ""
		if s.Register >= 0 {
			register = t.Registers[s.Register]
		}
		text = fmt.Appendln(text, s.Process, s.Do, register, s.Value, s.Becomes)
		paths = append(paths, s.Place.Path)
	}
	text = fmt.Appendln(text, t.Registers, t.Initial)
	l.rules = fmt.Sprintf("%08x", crc32.ChecksumIEEE(text))
	l.files = []File{}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if text, is := sources[name]; is {
			l.files = append(l.files, File{Path: name, Text: text})
		}
	}
	if err := l.walk.Undo(len(t.Schedule)); err != nil {
		panic(err) // it has taken them
	}
}

func (l *lock) run() Run {
	source := l.of.Source
	if b := l.of.Broken; b != nil {
		source += ": " + b.Why
	}
	r := Run{Kind: "lock", Algorithm: l.name, Source: source, Files: l.files}
	for p := range l.processes {
		r.Names = append(r.Names, nameOf(p))
	}
	return r
}

func nameOf(process int) string { return "P" + strconv.Itoa(process) }

func (l *lock) choose(do string) error {
	slot, err := strconv.Atoi(do)
	if err != nil {
		return fmt.Errorf("%s is no step: a step of a lock is the number of a process", do)
	}
	l.until = ""
	if all := l.walk.Pending(); slot >= 0 {
		if can := all[slot%len(all)]; len(can.Registers) == 1 {
			l.until = can.Until
		}
	}
	if err := l.walk.Do(slot); err != nil {
		_, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), "explore: "), ": ") // behind the number of the step
		return errors.New(calling(why))
	}
	return nil
}

// calling returns a text that calls processes as the page does: P0.
func calling(text string) string { return aProcess.ReplaceAllString(text, "P$1$2") }

var aProcess = regexp.MustCompile(`\bprocess ([0-9])( [a-z])`)

// fresh shows the steps that are new.
func (l *lock) fresh() (all []Event) {
	t := l.walk.Trace()
	for k := l.observed; k < len(t.Steps); k++ {
		all = append(all, l.event(t, k))
	}
	l.observed = len(t.Steps)
	return all
}

func (l *lock) undo(n int) error {
	err := l.walk.Undo(n)
	l.observed = len(l.walk.Trace().Steps)
	return err
}

func (l *lock) settle()      {} // the registers before each step are known
func (l *lock) transit() int { return 0 }

func (l *lock) text() (string, error) {
	return fmt.Sprintf("version 1; %v; rules %s; run %s", l, l.rules, choices(l.walk.Trace().Schedule)), nil
}

// choices returns the choices that take the steps of a schedule.
func choices(schedule []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(schedule), "[]"), " ", ".")
}

// texts are source files, by the import path of their package, a slash and their name. Of that file system files are
// read whole, and not opened.
type texts map[string]string

// sources are the source files of locks; nil: they are where this program was built.
var sources texts

// Sources says what the source files of locks are, by the import path of their package, a slash and their name. In
// a browser there are no others.
func Sources(files map[string]string) { sources = files }

// ReadFile returns a file, as fs.ReadFile calls it.
func (t texts) ReadFile(name string) ([]byte, error) {
	text, is := t[name]
	if !is {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// Open is there as fs.FS has it, and opens nothing.
func (texts) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}
