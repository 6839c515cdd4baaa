package extract

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
)

// broken returns the error of a protocol that breaks the contract at its current
// operation, or if it has returned, somewhere.
func (x *Extraction) broken(format string, args ...any) error {
	x.alone()
	s := x.site()
	if d, ok := source.Declared(reflect.ValueOf(x.Lock), "Lock"); s.File == "" && ok {
		s = &automaton.Site{File: d.File, Line: d.Line}
	}
	return breach(s, format, args...)
}

func breach(s *automaton.Site, format string, args ...any) *source.Breach {
	return &source.Breach{File: s.File, Line: s.Line, What: fmt.Sprintf(format, args...)}
}

// Locate repeats the run to a local state and returns its site.
func (x *Extraction) Locate(t *automaton.Tree, id int32) *automaton.Site {
	l := &t.Locals[id]
	if l.Site != nil {
		return l.Site
	}
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	var found *automaton.Site
	if err := x.Watched(func() { found = x.siteAgain(t, t.Path(id)) }); err != nil {
		return &automaton.Site{}
	}
	l.Site = found
	return found
}

const siteDepth = 8

// site returns the place in the source of the current operation: the innermost
// frame outside of package register, and of the cells that registers consist of.
func (x *Extraction) site() *automaton.Site {
	var pcs [siteDepth]uintptr
	n := runtime.Callers(2, pcs[:])
	if s, ok := x.sites[pcs]; ok {
		return s
	}
	s := caller(pcs[:n])
	x.sites[pcs] = s
	return s
}

// caller returns the innermost frame of a stack outside of package register. There is
// none between the protocols.
func caller(stack []uintptr) *automaton.Site {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if !hosting(f.Function) {
			return &automaton.Site{File: f.File, Line: f.Line, Func: f.Function}
		}
		if !more || strings.HasSuffix(f.Function, ").make") {
			return &automaton.Site{}
		}
	}
}

// hosting reports whether a function on the stack of an operation is no part of
// the protocol.
func hosting(function string) bool {
	for _, prefix := range []string{"register.", "internal/memory/cell.", "internal/memory/hook.", "explore/internal/extract.(*run).", "explore/internal/extract.(*Subject).", "explore/internal/extract.(*Extraction).", "explore/internal/extract.(*walker).", "explore/internal/extract.(*inspector)."} {
		if strings.HasPrefix(function, "example.org/doorway/"+prefix) {
			return true
		}
	}
	return false
}

// panicSite returns where the protocol panicked.
func panicSite() *automaton.Site {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime.") && !hosting(f.Function):
			return &automaton.Site{File: f.File, Line: f.Line, Func: f.Function}
		}
		if !more {
			return &automaton.Site{}
		}
	}
}

// comesAgain ends the run if op is the first operation of another round of a loop that
// carries nothing over.
//
// If the stack of an operation in such a loop is that of an earlier one, then that was
// the first of a round, and this one is too: nothing but these loops repeats, and all
// rounds begin in the same local state.
func (r *run) comesAgain(op hook.Operation) {
	if len(r.x.Loops) == 0 || op.Word == nil {
		return
	}
	if r.stack = r.x.stack(); r.stack == 0 {
		return
	}
	for pos, id := range r.path[:min(len(r.path), r.pos)] {
		if r.t.Locals[id].Stack == r.stack {
			r.Again(pos * maxMarks)
			return
		}
	}
}

// stack returns the number of the stack of the current operation, or 0 if it is not in
// one of the loops.
func (x *Extraction) stack() int32 {
	var pcs [4 * siteDepth]uintptr
	n := runtime.Callers(2, pcs[:])
	key := fmt.Sprint(pcs[:n])
	if k, ok := x.stacks[key]; ok {
		return k
	}
	x.stacks[key] = 0
	frames := runtime.CallersFrames(pcs[:n])
	within := false
	for {
		f, more := frames.Next()
		within = within || slices.ContainsFunc(x.Loops, func(l source.Loop) bool {
			s := automaton.Site{File: f.File, Line: f.Line, Func: f.Function}
			return s.Path() == l.Path && filepath.Base(f.File) == l.File && l.First <= f.Line && f.Line <= l.Last
		})
		if strings.HasSuffix(f.Function, ").make") && hosting(f.Function) {
			break
		}
		if !more {
			return 0 // there are more frames
		}
	}
	if within {
		x.stacks[key] = int32(len(x.stacks))
	}
	return x.stacks[key]
}
