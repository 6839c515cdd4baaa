// Package calls has locks that call functions of the standard library and of package
// register: some that write, or that run methods, and some that are allowed.
package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	turn  register.Word
	b     []byte
	order []int
	n     int
	field failure
	err   error
	phase phase
	said  strings.Builder
	fill  []func([]int)
	log   *strings.Builder
	wrap  struct{ *strings.Builder }
}

type failure struct{ n int }

func (f failure) Error() string { return strconv.Itoa(f.n) }

// A counter writes when it is shown, and when it is compared.
type counter struct{ n int }

func (c *counter) Error() string {
	c.n++ // want "counter.Error: writes plain memory reached through c: .*"
	return ""
}

func (c *counter) Is(error) bool {
	c.n++ // want "Is: writes plain memory reached through c: .*"
	return false
}

func (c *counter) Unwrap() error {
	c.n++ // want "Unwrap: writes plain memory reached through c: .*"
	return nil
}

func (c *counter) As(any) bool {
	c.n++ // want "As: writes plain memory reached through c: .*"
	return false
}

var shared = &counter{}

var failed error = shared

type phase int

var shown int

func (p phase) String() string {
	shown++ // want "String: writes package-level variable shown, .*"
	return "phase"
}

func (p phase) GoString() string {
	shown++ // want "GoString: writes package-level variable shown, .*"
	return "phase"
}

func (p phase) Format(s fmt.State, _ rune) {
	shown++                      // want "Format: writes package-level variable shown, .*"
	_, _ = io.WriteString(s, "") // want "Format: calls io.WriteString: of the standard library, .*"
}

// MarshalText is run by no function that a protocol may call.
func (p phase) MarshalText() ([]byte, error) { shown++; return nil, nil }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	_ = fmt.Sprint(&l.turn)                                              // want "Lock: passes \\*register.Word to fmt.Sprint: a protocol may pass it only numbers, strings, booleans, and errors by %v, %s, %q or %w"
	_ = fmt.Sprint(l)                                                    // want "Lock: passes \\*Lock to fmt.Sprint: .*"
	_ = fmt.Sprintf("%p", p)                                             // want "Lock: passes \\*register.Process to fmt.Sprintf: .*"
	_ = fmt.Sprintf("%p", l.order)                                       // want "Lock: passes \\[\\]int to fmt.Sprintf: .*"
	_ = fmt.Sprint([]any{l.turn.Load()}...)                              // want "Lock: passes \\[\\]any to fmt.Sprint: .*"
	_ = fmt.Errorf("%d", l.failed())                                     // want "Lock: passes error to fmt.Errorf: .*"
	_ = fmt.Errorf("%#v", failure{1})                                    // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf("%[1]v", failure{1})                                  // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf(l.text(), failure{1})                                 // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf("%w", l.err)                                          // want "Lock: passes error to fmt.Errorf: .*"
	_ = l.err.Error()                                                    // want "Lock: calls error.Error through an interface: its implementation is unknown"
	_ = errors.As(failure{1}, &l.field)                                  // want "Lock: calls errors.As: of the standard library, a protocol may call only functions of their arguments, from errors only Is, Join and New"
	l.b = strconv.AppendInt(l.b[:0], 1, 10)                              // want "Lock: calls strconv.AppendInt: .* from strconv only Atoi, .*" "Lock: writes plain memory reached through l: .*"
	_ = strconv.AppendInt(l.b[:0], 1, 10)                                // want "Lock: calls strconv.AppendInt: .*"
	_ = fmt.Appendf(l.b[:0], "x")                                        // want "Lock: calls fmt.Appendf: .*"  "Lock: passes \\[\\]byte to fmt.Appendf: .*"
	_ = slices.Grow(l.order, 1)                                          // want "Lock: calls slices.Grow: .*"
	_ = slices.Sorted(maps.Keys(map[int]int{}))                          // want "Lock: calls slices.Sorted: .*" "Lock: calls maps.Keys: of the standard library, a protocol may call only functions of their arguments, from cmp, errors, .*"
	slices.Sort(l.order)                                                 // want "Lock: writes plain memory reached through l: .*"
	slices.SortFunc(l.order, func(a, b int) int { return a - b })        // want "Lock: writes plain memory reached through l: .*"
	slices.SortStableFunc(l.order, func(a, b int) int { return a - b })  // want "Lock: writes plain memory reached through l: .*"
	slices.Reverse(l.order)                                              // want "Lock: writes plain memory reached through l: .*"
	_ = slices.Compact(l.order)                                          // want "Lock: writes plain memory reached through l: .*"
	_ = slices.CompactFunc(l.order, func(a, b int) bool { return true }) // want "Lock: writes plain memory reached through l: .*"
	_ = slices.Delete(l.order, 0, 1)                                     // want "Lock: writes plain memory reached through l: .*"
	_ = slices.DeleteFunc(l.order, func(a int) bool { return true })     // want "Lock: writes plain memory reached through l: .*"
	_ = slices.Insert(l.order, 0, 1)                                     // want "Lock: writes plain memory reached through l: .*"
	_ = slices.Replace(l.order, 0, 1, 2)                                 // want "Lock: writes plain memory reached through l: .*"
	clear(l.order)                                                       // want "Lock: writes plain memory reached through l: .*"
	_ = append(l.order[:0], 1)                                           // want "Lock: writes plain memory reached through l: .*"
	sorting := slices.Sort[[]int]                                        // want "Lock: uses slices.Sort as a value: a function of the standard library that writes memory or runs methods must be called by its name"
	sorting(l.order)                                                     // want "Lock: calls sorting, a function value that may be slices.Sort: of the standard library, a protocol may call only functions of their arguments"
	text := fmt.Sprint                                                   // want "Lock: uses fmt.Sprint as a value: .*"
	_ = text(l.n)                                                        // want "Lock: calls text, a function value that may be fmt.Sprint: .*"
	write := l.said.WriteString                                          // want "Lock: uses strings.Builder.WriteString as a value: .*"
	_, _ = write("x")                                                    // want "Lock: calls write, a function value that may be strings.Builder.WriteString: .*"
	(*strings.Builder).WriteString(&l.said, "x")                         // want "Lock: uses strings.Builder.WriteString as a value: .*"
	w := l.wrap
	w.WriteString("x") // want "Lock: writes plain memory reached through w: .*"
	println(i)         // want "Lock: calls println: a protocol may call only the predeclared functions append, .*"
	_ = unicode.Letter // want "Lock: uses unicode.Letter: of the variables of the standard library, a protocol may use only errors, such as io.EOF"
	_ = time.Second
	_ = math.Pow(2, 3)
	p.Inside()
}

func (l *Lock) LockContext(ctx context.Context, i int) error {
	_ = register.MakeProcesses("again", 2) // want "LockContext: calls register.MakeProcesses, which is not part of a protocol: of package register, a protocol may call only Bare.CompareAndSwap, .* and register.Repeat"
	err := l.procs.Context(ctx, i, func(p *register.Process) bool {
		return l.turn.Await(p, func(v uint64) bool { return v == 0 })
	})
	if errors.Is(err, context.Canceled) || errors.Is(err, failed) {
		return errors.Join(err, errors.New("canceled"))
	}
	return fmt.Errorf("process %d: %w", i, err)
}

func (l *Lock) failed() error { return failure{l.n} }

func (l *Lock) text() string { return "%v" }

// Unlock calls what it may call.
func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	_ = fmt.Sprintf("process %d of %d is %s, %v%%", i, l.n, phase(1), l.phase)
	_ = fmt.Sprintln([2]int{}, struct{ a, b int }{}, true, "x", 'x', nil)
	_ = fmt.Errorf("%v: %w", i, failure{1})
	_ = l.failed().Error() + failure{2}.Error()
	_ = max(bits.Len(uint(l.n)), bits.OnesCount8(3)) + cap(l.order)
	order := slices.Clone(l.order)
	slices.Reverse(order)
	order = slices.Insert(order, 0, 1)
	clear(order)
	var b strings.Builder
	b.WriteString(strings.Repeat("x", l.n))
	b.WriteByte('x')
	if unicode.IsUpper('x') || slices.Contains(l.order, i) || strings.Contains(b.String(), "y") {
		panic(fmt.Sprintf("calls: unlock of process %d", i))
	}
	l.turn.Store(0)
}
