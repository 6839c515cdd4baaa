package stress

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// looks is the number of consecutive looks that must see no progress. They are
// Watchdog/looks apart; so a machine that was suspended, which costs one look, is
// not taken for a deadlock.
const looks = 10

// A watchdog checks whether the goroutines of a run make progress.
type watchdog struct {
	r    *run
	seen []position
	idle int // consecutive looks that saw no progress
}

// A position changes when its goroutine makes progress.
type position struct{ phase, calls uint64 }

// stuck looks, and reports whether there was no progress for long enough.
func (d *watchdog) stuck() bool {
	d.idle++
	for k := range d.seen {
		s := &d.r.states[k]
		if g := (position{s.phase.Load(), s.calls.Load()}); g != d.seen[k] {
			d.seen[k] = g
			d.idle = 0
		}
	}
	return d.idle >= looks
}

// processes returns a line with what a shared lock knows of its callers: as which
// process one is inside, as which ones others contend, and how many queue for one.
func (r *run) processes() string {
	if r.shared == nil {
		return ""
	}
	var in, contend []int
	queued := 0
	for _, c := range r.shared.Watch() {
		switch {
		case c.Inside:
			in = append(in, c.Process)
		case c.Process >= 0:
			contend = append(contend, c.Process)
		default:
			queued++
		}
	}
	var parts []string
	if len(in) > 0 {
		parts = append(parts, numbered("process", "processes", in)+" inside")
	}
	if len(contend) > 0 {
		parts = append(parts, numbered("process", "processes", contend)+" in the entry protocol")
	}
	if queued > 0 {
		parts = append(parts, number(queued, "goroutine", "goroutines")+" in the queue for a process")
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, ", ") + "\n"
}

// mostTold is the largest number of goroutines that an error describes.
const mostTold = 16

// waiting returns a line for each goroutine that is not done, with what it waits
// for. Those that are inside come first, as the others wait for them.
func (r *run) waiting() string {
	var in, out []int
	for k := range r.states {
		switch p, _ := r.states[k].get(); p {
		case inside, unlocking:
			in = append(in, k)
		case done, panicked:
		default:
			out = append(out, k)
		}
	}
	var b strings.Builder
	if len(in) == 0 {
		b.WriteString("  no goroutine is inside\n")
	}
	for n, k := range append(in, out...) {
		if n == mostTold {
			fmt.Fprintf(&b, "  and %d more\n", len(in)+len(out)-n)
			break
		}
		fmt.Fprintf(&b, "  %s\n", r.waiter(k, in))
	}
	return b.String()
}

// waiter describes what goroutine k does while those of in are inside.
func (r *run) waiter(k int, in []int) string {
	s := &r.states[k]
	p, since := s.get()
	who := fmt.Sprintf("goroutine %d", k)
	if !r.c.Shared {
		who = fmt.Sprintf("goroutine %d (process %d)", k, k)
	}
	what := map[phase]string{
		remainder: "is in its remainder section", inside: "is inside", unlocking: "has entered and is in Unlock",
		locking: "waits in Lock", trying: "is in TryLock", lockingContext: "waits in LockContext",
	}[p]
	call := s.calls.Load()
	whom := ""
	switch p {
	case locking, trying, lockingContext:
		if r.c.Excludes != nil {
			in = slices.DeleteFunc(slices.Clone(in), func(j int) bool { return !r.c.Excludes(k, j) })
		}
		if len(in) > 0 {
			whom = " for " + goroutines(in)
		}
		whom += fmt.Sprintf(", bypassed by %d", r.order.waits[k].v.Load()&mostPassed)
	}
	return fmt.Sprintf("%s %s since call %d, %v ago%s", who, what, call, (r.now() - since).Round(time.Millisecond), whom)
}

// stacks returns the stacks of the goroutines of r that are not done, those with
// the same stack together.
func (r *run) stacks() string {
	numbers := map[uint64]int{}
	for k := range r.states {
		if p, _ := r.states[k].get(); p != done && p != panicked {
			numbers[r.states[k].goroutine.Load()] = k
		}
	}
	at := map[string][]int{}
	for block := range strings.SplitSeq(allStacks(), "\n\n") {
		header, rest, _ := strings.Cut(block, "\n")
		if k, ok := numbers[numberOf(header)]; ok {
			s := trim(rest)
			at[s] = append(at[s], k)
		}
	}
	for _, who := range at {
		slices.Sort(who)
	}
	order := slices.SortedFunc(maps.Keys(at), func(s, t string) int { return at[s][0] - at[t][0] })
	var b strings.Builder
	for _, s := range order[:min(len(order), mostTold)] {
		fmt.Fprintf(&b, "  %s at\n%s", goroutines(at[s]), s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// allStacks returns the stacks of all goroutines.
func allStacks() string {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 2) // a Builder does not fail
	return b.String()
}

// trim returns the functions of a stack trace, from the innermost to the one that
// this package called, a line each, with file and line but without arguments and
// directories.
func trim(stack string) string {
	var b strings.Builder
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		function, at := lines[i], strings.TrimSpace(lines[i+1])
		if strings.Contains(function, "stress.process.") || strings.Contains(function, "stress.(*worker).") {
			break
		}
		if cut := strings.LastIndex(function, "("); cut > 0 {
			function = function[:cut]
		}
		at, _, _ = strings.Cut(at, " +0x")
		fmt.Fprintf(&b, "    %s (%s)\n", path.Base(function), path.Base(at))
	}
	if b.Len() == 0 {
		return "    its loop\n"
	}
	return b.String()
}

// panicStack returns the stack of the calling goroutine below its panic.
func panicStack() string {
	stack := string(debug.Stack())
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i+1:] // the panic is one function on two lines
	}
	_, stack, _ = strings.Cut(stack, "\n")
	_, stack, _ = strings.Cut(stack, "\n")
	return stack
}

// goroutineID returns the number of the calling goroutine in stack traces.
func goroutineID() uint64 {
	var buf [64]byte
	return numberOf(string(buf[:runtime.Stack(buf[:], false)]))
}

// numberOf returns the 7 of "goroutine 7 [chan receive]:", or 0.
func numberOf(header string) (n uint64) {
	_, _ = fmt.Sscanf(header, "goroutine %d ", &n)
	return n
}
