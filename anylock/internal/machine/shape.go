package machine

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A kind says what a word of memory is.
type kind uint8

const (
	scalar  kind = iota // a boolean, a number, or the number of a string
	pointer             // see ptr
	typeOf              // the type of an interface: the number of a type, 0 for nil
	dynamic             // behind it, the value: a word as its type says, or a pointer to a box
)

// A shape is how an element of an object lies in words.
type shape struct {
	number int
	t      types.Type // nil: of a channel or a closure
	kinds  []kind
	direct bool // in an interface, it is the word itself
	frozen bool // it never changes: a box, or a closure
	chanOf *shape
}

func (s *shape) size() int { return len(s.kinds) }

// A layout finds the shapes of types.
type layout struct {
	all    []*shape
	known  typeutil.Map   // of *shape
	others map[any]*shape // of what has no type
	maps   typeutil.Map   // of *mapShape
	head   *shape         // of a map
}

func newLayout() *layout {
	l := &layout{others: map[any]*shape{}}
	l.head = l.add(&shape{kinds: []kind{pointer}})
	return l
}

// other returns the shape of what has no type, by what tells it from others.
func (l *layout) other(key any, create func() *shape) *shape {
	s := l.others[key]
	if s == nil {
		s = l.add(create())
		l.others[key] = s
	}
	return s
}

func (l *layout) add(s *shape) *shape {
	s.number = len(l.all)
	l.all = append(l.all, s)
	return s
}

// of returns the shape of a type.
func (l *layout) of(t types.Type) *shape {
	if p, ok := t.(*types.Pointer); ok && ofSSA(p.Elem()) {
		refuse("a defer in a loop over a function")
	}
	if ofSSA(t) {
		return l.head // see ranges
	}
	if s, ok := l.known.At(t).(*shape); ok {
		return s
	}
	s := &shape{t: t, kinds: l.flatten(nil, t)}
	s.direct = len(s.kinds) == 1 && s.kinds[0] <= pointer
	l.add(s)
	l.known.Set(t, s)
	return s
}

// ofSSA reports whether a type is one of package ssa.
func ofSSA(t types.Type) bool {
	switch t.(type) {
	case *types.Alias, *types.Array, *types.Basic, *types.Chan, *types.Interface, *types.Map, *types.Named, *types.Pointer, *types.Signature,
		*types.Slice, *types.Struct, *types.Tuple, *types.TypeParam, *types.Union:
		return false
	}
	return true
}

// box returns the shape of a value of a type that an interface points to.
func (l *layout) box(s *shape) *shape {
	return l.other(s, func() *shape { return &shape{t: s.t, kinds: s.kinds, frozen: true} })
}

// The words of a channel before its elements.
const (
	chanClosed = iota
	chanCount
	chanRoom
	chanHeader
)

// channel returns the shape of a channel with room for n elements.
func (l *layout) channel(elem *shape, n int) *shape {
	type key struct {
		elem *shape
		n    int
	}
	return l.other(key{elem, n}, func() *shape {
		return &shape{kinds: slices.Concat(make([]kind, chanHeader), slices.Repeat(elem.kinds, n)), chanOf: elem}
	})
}

// closure returns the shape of a function with free variables of these kinds.
func (l *layout) closure(kinds []kind) *shape {
	return l.other(string(kinds), func() *shape { return &shape{kinds: append([]kind{scalar}, kinds...), frozen: true} })
}

func (l *layout) flatten(dst []kind, t types.Type) []kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.UnsafePointer:
			return append(dst, pointer)
		case u.Info()&types.IsComplex != 0:
			refuse("a complex number")
		}
		return append(dst, scalar)
	case *types.Pointer, *types.Signature, *types.Chan, *types.Map:
		return append(dst, pointer)
	case *types.Slice:
		return append(dst, pointer, scalar, scalar)
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			refuse("the type parameter %v", t)
		}
		return append(dst, typeOf, dynamic)
	case *types.Struct:
		for f := range u.Fields() {
			dst = l.flatten(dst, f.Type())
		}
		return dst
	case *types.Array:
		if u.Len() > 1<<16 {
			refuse("an array of %d elements", u.Len())
		}
		elem := l.of(u.Elem()).kinds
		for range u.Len() {
			dst = append(dst, elem...)
		}
		return dst
	case *types.Tuple:
		for v := range u.Variables() {
			dst = l.flatten(dst, v.Type())
		}
		return dst
	}
	refuse("the type %v", t)
	return nil
}

// part returns the part of a type that has word k of it, the name of that, and which word it is there; nil if there are no parts.
func (l *layout) part(t types.Type, k int) (of types.Type, name string, at int) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			n := l.of(f.Type()).size()
			if k < n {
				return f.Type(), "." + f.Name(), k
			}
			k -= n
		}
	case *types.Array:
		n := max(1, l.of(u.Elem()).size())
		return u.Elem(), fmt.Sprintf("[%d]", k/n), k % n
	}
	return nil, "", 0
}

// field returns where field i of a struct or tuple lies.
func (l *layout) field(t types.Type, i int) (offset int, s *shape) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for k := range i {
			offset += l.of(u.Field(k).Type()).size()
		}
		return offset, l.of(u.Field(i).Type())
	case *types.Tuple:
		for k := range i {
			offset += l.of(u.At(k).Type()).size()
		}
		return offset, l.of(u.At(i).Type())
	}
	panic("machine: a field of what has none")
}
