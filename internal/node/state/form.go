package state

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.org/doorway/messaging"
)

// A Form is the state of a node as it lies in memory, of which its encoding does not say all:
// which slices are empty but not nil, which have spare capacity, and which share memory.
type Form struct {
	node    reflect.Value
	refs    []reference
	regions []region // to which they refer, by address; none overlaps another
}

// A reference is a slice or a pointer that is not nil, with its name. It may be behind the length of another slice.
type reference struct {
	name string
	reflect.Value
}

// A region is memory of elements of a type, from an address to before another.
type region struct {
	from, to uintptr
	first    reflect.Value // a pointer to the first element
}

// FormOf returns the form of a node. It returns an error if it refers to the same memory as
// different types: what is written to one of them is not in a copy of the other.
func FormOf(node any) (*Form, error) {
	_, v := planOfNode(node)
	f := &Form{node: v, regions: make([]region, 0, 8)}
	f.add(v.Addr(), 1)
	walk(make([]string, 0, 8), v, true, func(path []string, v reflect.Value) bool {
		switch {
		case v.Kind() != reflect.Pointer && v.Kind() != reflect.Slice:
			return true
		case v.IsNil():
			return false
		case v.Kind() == reflect.Pointer:
			f.add(v, 1)
		default:
			f.add(reflect.NewAt(v.Type().Elem(), v.UnsafePointer()), v.Cap())
		}
		f.refs = append(f.refs, reference{strings.ReplaceAll(strings.Join(path, "."), ".[", "["), v})
		return refers(v.Type().Elem())
	})
	slices.SortFunc(f.regions, func(r, s region) int { return cmp.Compare(r.from, s.from) })
	joined := 0
	for _, r := range f.regions {
		last := &f.regions[max(0, joined-1)]
		switch {
		case joined == 0 || r.from >= last.to:
			f.regions[joined] = r
			joined++
		case r.first.Type() != last.first.Type():
			return nil, fmt.Errorf("it refers to the same memory as a %v and as a %v", last.first.Type().Elem(), r.first.Type().Elem())
		default:
			last.to = max(last.to, r.to)
		}
	}
	f.regions = f.regions[:joined]
	return f, nil
}

func (f *Form) add(first reflect.Value, n int) {
	if size := uintptr(n) * first.Type().Elem().Size(); size > 0 {
		f.regions = append(f.regions, region{first.Pointer(), first.Pointer() + size, first})
	}
}

// region returns the number of the region with a pointer to an element, and the index of the element.
func (f *Form) region(at uintptr) (k, element int) {
	k, found := slices.BinarySearchFunc(f.regions, at, func(r region, at uintptr) int { return cmp.Compare(r.from, at) })
	if !found {
		k--
	}
	r := f.regions[k]
	return k, int((at - r.from) / r.first.Type().Elem().Size())
}

// Overlaps reports whether parts of two states share memory.
func (f *Form) Overlaps(g *Form) bool {
	return slices.ContainsFunc(f.regions, func(r region) bool { return g.has(r.from, r.to) })
}

func (f *Form) has(from, to uintptr) bool {
	return slices.ContainsFunc(f.regions, func(r region) bool { return from < r.to && r.from < to })
}

// Hidden returns a constant of a node that refers to memory of f, if there is one.
func (f *Form) Hidden(constants []Constant) (name string, found bool) {
	for _, c := range constants {
		if slices.ContainsFunc(c.memory, func(r region) bool { return f.has(r.from, r.to) }) {
			return c.Name, true
		}
	}
	return "", false
}

// String says in what f differs from a state that [Restore] has made: "" if in nothing.
func (f *Form) String() string {
	var words []string
	users := make([]string, len(f.regions)) // the first reference to each
	for _, r := range f.refs {
		n := 1
		if r.Kind() == reflect.Slice {
			words, n = appendForm(words, r), r.Cap()
		}
		if uintptr(n)*r.Type().Elem().Size() == 0 {
			continue
		}
		switch k, element := f.region(r.Pointer()); {
		case users[k] != "":
			words = append(words, fmt.Sprintf("%s shares the memory of %s, from %d on", r.name, users[k], element))
		case element > 0:
			users[k] = fmt.Sprintf("%s, which is there from %d on", r.name, element)
		default:
			users[k] = r.name
		}
	}
	return strings.Join(words, ", ")
}

// Spare calls largest with each slice that has spare capacity, and the largest of how much it has and the
// numbers in it that are no times.
func (f *Form) Spare(largest func(slice string, n uint64)) {
	for _, r := range f.refs {
		if r.Kind() != reflect.Slice || r.Cap() == r.Len() {
			continue
		}
		most := uint64(r.Cap() - r.Len())
		if all := r.Slice(r.Len(), r.Cap()); !zero(all) {
			Within(nil, all, func(_ []string, v reflect.Value) bool {
				switch {
				case v.CanInt():
					most = max(most, uint64(max(v.Int(), -v.Int())))
				case v.CanUint() && v.Type() != typeOfTime && v.Type() != typeOfClock:
					most = max(most, v.Uint())
				}
				return true
			})
		}
		largest(r.name, most)
	}
}

// zero reports whether all elements of a slice are zero.
func zero(v reflect.Value) bool {
	for i := range v.Len() {
		if !v.Index(i).IsZero() {
			return false
		}
	}
	return true
}

// appendForm appends what is special in a slice.
func appendForm(words []string, v reference) []string {
	n, spare := v.Len(), v.Cap()-v.Len()
	for v.Type() == typeOfSet && n > 0 && v.Index(n-1).Uint() == 0 {
		n--
	}
	switch {
	case n == 0 && v.Len() == 0:
		words = append(words, v.name+" is empty but not nil")
	case n < v.Len():
		words = append(words, fmt.Sprintf("%s has %d words more than it needs", v.name, v.Len()-n))
	}
	if spare > 0 {
		text := fmt.Sprintf("%s has room for %d more", v.name, spare)
		if all := v.Slice(v.Len(), v.Cap()); !zero(all) {
			text += fmt.Sprintf(", where there was %s before", Format(all.Interface(), nil))
		}
		words = append(words, text)
	}
	return words
}

// Copy sets dst, a new node with the same start as that of f, to the same state in the same
// form, with times mapped as by [AppendMapped] unless by is nil.
func (f *Form) Copy(dst any, by mapping) {
	c := copier{f, make([]reflect.Value, len(f.regions)), by}
	c.copy(reflect.ValueOf(dst).Elem(), f.node)
}

type copier struct {
	*Form
	copies []reflect.Value // of the regions, as slices
	by     mapping
}

// copy sets dst to a copy of src.
func (c *copier) copy(dst, src reflect.Value) {
	switch src.Type() {
	case typeOfTime, typeOfClock:
		dst.Set(src)
		if c.by != nil {
			dst.SetUint(uint64(c.by(messaging.Time(src.Uint()), src.Type() == typeOfClock)))
		}
		return
	case typeOfNode:
		if src.IsNil() || dst.IsNil() || src.Elem().Type() != dst.Elem().Type() {
			if src.IsNil() != dst.IsNil() {
				panic("state: a node within a node is there, or is not, as the other fields say")
			}
			return
		}
		c.copy(dst.Elem().Elem(), src.Elem().Elem())
		return
	}
	switch src.Kind() {
	case reflect.Slice:
		if src.IsNil() || src.Cap() == 0 {
			dst.Set(src)
			return
		}
		of, from := c.copied(src.Pointer())
		dst.Set(of.Slice3(from, from+src.Len(), from+src.Cap()).Convert(src.Type()))
	case reflect.Pointer:
		if src.IsNil() || src.Type().Elem().Size() == 0 {
			dst.Set(src)
			return
		}
		of, at := c.copied(src.Pointer())
		dst.Set(of.Index(at).Addr())
	case reflect.Interface: // a message
		if src.IsNil() {
			dst.SetZero()
			return
		}
		m := reflect.New(src.Elem().Type()).Elem()
		c.copy(m, src.Elem())
		dst.Set(m)
	case reflect.Array:
		for i := range src.Len() {
			c.copy(dst.Index(i), src.Index(i))
		}
	case reflect.Struct:
		c.fields(dst, src)
	default:
		dst.Set(src)
	}
}

// copied returns the copy of the region with a pointer to an element, and the index of the
// element.
func (c *copier) copied(at uintptr) (of reflect.Value, element int) {
	k, element := c.region(at)
	if !c.copies[k].IsValid() {
		r := c.regions[k]
		t := r.first.Type().Elem()
		n := int((r.to - r.from) / t.Size())
		old := reflect.SliceAt(t, r.first.UnsafePointer(), n)
		c.copies[k] = reflect.MakeSlice(old.Type(), n, n)
		reflect.Copy(c.copies[k], old)
		if refers(t) || c.by != nil {
			for i := range n {
				c.copy(c.copies[k].Index(i), old.Index(i))
			}
		}
	}
	return c.copies[k], element
}

// fields copies the exported fields of a struct, and of structs that are embedded in it.
func (c *copier) fields(dst, src reflect.Value) {
	remakes := reflect.PointerTo(src.Type()).Implements(typeOfRemaker)
	for i, f := range fieldsOf(src.Type()) {
		if remakes && f.Type == typeOfNode {
			dst.Addr().Interface().(Remaker).Remake()
			remakes = false
		}
		if f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct {
			c.copy(dst.Field(i), src.Field(i))
		}
	}
}
