package explore

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/seam"
)

// A site is a place in the source.
type site struct {
	file string
	line int
	fn   string
}

// path returns the import path of the package of s.
func (s *site) path() string {
	slash := strings.LastIndexByte(s.fn, '/') + 1
	name, _, _ := strings.Cut(s.fn[slash:], ".")
	return s.fn[:slash] + name
}

// broken returns the error of a protocol that breaks the contract at its current
// operation, or if it has returned, somewhere.
func (x *extraction) broken(format string, args ...any) error {
	x.alone()
	s := x.site()
	if d, ok := declared(reflect.ValueOf(x.lock), "Lock"); s.file == "" && ok {
		s = &site{file: d.file, line: d.line}
	}
	return &LockError{File: s.file, Line: s.line, What: fmt.Sprintf(format, args...)}
}

// locate repeats the run to a local state and returns its site.
func (x *extraction) locate(t *tree, id int32) *site {
	l := &t.locals[id]
	if l.site != nil {
		return l.site
	}
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	var found *site
	if err := x.watched(func() { found = x.siteAgain(t, t.path(id)) }); err != nil || found == nil {
		return &site{}
	}
	l.site = found
	return found
}

const siteDepth = 8

// site returns the place in the source of the current operation: the innermost
// frame outside of package register.
func (x *extraction) site() *site {
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
func caller(stack []uintptr) *site {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if !hosting(f.Function) {
			return &site{f.File, f.Line, f.Function}
		}
		if !more || strings.HasSuffix(f.Function, ").make") {
			return &site{}
		}
	}
}

// hosting reports whether a function on the stack of an operation is no part of
// the protocol.
func hosting(function string) bool {
	for _, prefix := range []string{"register.", "internal/seam.", "explore.(*run).", "explore.(*extraction).", "explore.(*walker).", "explore.(*inspector)."} {
		if strings.HasPrefix(function, "example.org/doorway/"+prefix) {
			return true
		}
	}
	return false
}

// panicSite returns where the protocol panicked.
func panicSite() *site {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime.") && !hosting(f.Function):
			return &site{f.File, f.Line, f.Function}
		}
		if !more {
			return &site{}
		}
	}
}

// comesAgain ends the run if op is the first operation of another round of a loop that
// carries nothing over.
//
// If the stack of an operation in such a loop is that of an earlier one, then that was
// the first of a round, and this one is too: nothing but these loops repeats, and all
// rounds begin in the same local state.
func (r *run) comesAgain(op seam.Operation) {
	if len(r.x.loops) == 0 || op.Word == nil {
		return
	}
	if r.stack = r.x.stack(); r.stack == 0 {
		return
	}
	for pos, id := range r.path[:min(len(r.path), r.pos)] {
		if r.t.locals[id].stack == r.stack {
			r.Again(pos * maxMarks)
			return
		}
	}
}

// stack returns the number of the stack of the current operation, or 0 if it is not in
// one of the loops.
func (x *extraction) stack() int32 {
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
		within = within || slices.ContainsFunc(x.loops, func(l stateless) bool {
			s := site{f.File, f.Line, f.Function}
			return s.path() == l.path && filepath.Base(f.File) == l.file && l.first <= f.Line && f.Line <= l.last
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
