// Package calls has locks that call functions of the standard library and of package
// register: some that write, or that run methods, and some that are allowed.
package calls

import (
	"context"
	"errors"
	"fmt"
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

var failed error = failure{1}

// A phase writes when it is shown.
type phase int

var shown int

func (p phase) String() string { shown++; return "phase" }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	_ = fmt.Sprint(&l.turn)                                              // want "Lock: passes \\*register.Word to fmt.Sprint: .*"
	_ = fmt.Sprint(l)                                                    // want "Lock: passes \\*Lock to fmt.Sprint: .*"
	_ = fmt.Sprintf("%p", p)                                             // want "Lock: passes \\*register.Process to fmt.Sprintf: .*"
	_ = fmt.Sprintf("%p", l.order)                                       // want "Lock: passes \\[\\]int to fmt.Sprintf: .*"
	_ = fmt.Sprint([]any{l.turn.Load()}...)                              // want "Lock: passes \\[\\]any to fmt.Sprint: .*"
	_ = fmt.Errorf("%d", l.failed())                                     // want "Lock: passes error to fmt.Errorf: .*"
	_ = fmt.Errorf("%#v", failure{1})                                    // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf("%[1]v", failure{1})                                  // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf(l.text(), failure{1})                                 // want "Lock: passes failure to fmt.Errorf: .*"
	_ = fmt.Errorf("%w", l.err)                                          // want "Lock: passes error to fmt.Errorf: .*"
	_ = l.err.Error()                                                    // want "Lock: calls error.Error through an interface that other packages can implement: .*"
	_ = errors.As(failure{1}, &l.field)                                  // want "Lock: calls errors.As: of the standard library, a protocol may call only functions of their arguments, from errors only Is, Join and New" "Lock: passes failure to errors.As: .*" "Lock: passes \\*failure to errors.As: .*"
	l.b = strconv.AppendInt(l.b[:0], 1, 10)                              // want "Lock: calls strconv.AppendInt: .* from strconv only Atoi, .*" "Lock: writes plain memory reached through l: .*"
	_ = strconv.AppendInt(l.b[:0], 1, 10)                                // want "Lock: calls strconv.AppendInt: .*"
	_ = fmt.Appendf(l.b[:0], "x")                                        // want "Lock: calls fmt.Appendf: .*" "Lock: passes \\[\\]byte to fmt.Appendf: .*"
	_ = slices.Grow(l.order, 1)                                          // want "Lock: calls slices.Grow: .*"
	_ = slices.Sorted(maps.Keys(map[int]int{}))                          // want "Lock: calls slices.Sorted: .*" "Lock: calls maps.Keys: of the standard library, a protocol may call only functions of their arguments, from cmp, errors, .*" "Lock: calls maps\\.Keys\\(map\\[int\\]int\\{\\}\\), a function value that may be maps\\.Keys: .*"
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
	(*strings.Builder).WriteString(&l.said, "x")                         // want "Lock: uses strings.Builder.WriteString as a value: .*" "Lock: writes memory that outlives the call: .*"
	w := l.wrap
	w.WriteString("x") // want "Lock: writes plain memory reached through w: .*" "Lock: reads exported field Builder, which other packages can write: .*"
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
	if errors.Is(err, context.Canceled) || errors.Is(err, failed) { // want "LockContext: passes error to errors.Is: .*"
		return errors.Join(err, errors.New("canceled")) // want "LockContext: passes error to errors.Join: .*"
	}
	return fmt.Errorf("process %d: %w", i, err) // want "LockContext: passes error to fmt.Errorf: .*"
}

func (l *Lock) failed() error { return failure{l.n} }

func (l *Lock) text() string { return "%v" }

// Unlock calls what it may call.
func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	_ = fmt.Sprintf("process %d of %d is %s, %v%%", i, l.n, phase(1), l.phase) // want "Unlock: passes phase to fmt.Sprintf: .*"
	_ = fmt.Sprintln([2]int{}, struct{ a, b int }{}, true, "x", 'x', nil)
	_ = fmt.Errorf("%v: %w", i, failure{1})     // want "Unlock: passes failure to fmt.Errorf: .*"
	_ = l.failed().Error() + failure{2}.Error() // want "Unlock: calls error.Error through an interface that other packages can implement: .*"
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
