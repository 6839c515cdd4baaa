package interleave

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// A world is the memory of a scenario that can be reached from its World.
type world struct {
	names   map[Variable]string // by the shortest path to it
	things  map[any]string      // what pointers may point to
	regions []region
}

// A region is a piece of memory, and its initial content.
type region struct {
	now, first reflect.Value
}

func explore(root any) *world {
	w := &world{names: map[Variable]string{}, things: map[any]string{}}
	type address struct {
		p unsafe.Pointer
		t reflect.Type
	}
	seen := map[address]bool{}
	type found struct {
		name string
		v    reflect.Value
	}
	queue := []found{{"", reflect.ValueOf(root)}}
	var look func(name string, v reflect.Value)
	look = func(name string, v reflect.Value) { // v is addressable
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // to be read though it is not exported
		if x, ok := reflect.TypeAssert[Variable](v.Addr()); ok && v.Kind() != reflect.Chan {
			if w.names[x] == "" {
				w.names[x] = name
			}
			return
		}
		if thing := v.Addr().Interface(); w.things[thing] == "" {
			w.things[thing] = name
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				field := v.Type().Field(i).Name
				if name != "" {
					field = name + "." + field
				}
				look(field, v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				look(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
			}
		case reflect.Chan:
			if x, ok := reflect.TypeAssert[Variable](v); ok {
				w.names[x] = name
			}
		case reflect.Pointer, reflect.Slice:
			queue = append(queue, found{name, v})
		}
	}
	region := func(v reflect.Value) {
		first := reflect.New(v.Type()).Elem()
		first.Set(v)
		w.regions = append(w.regions, region{v, first})
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		if f.v.IsNil() || seen[address{f.v.UnsafePointer(), f.v.Type()}] || w.has(f.v) {
			continue
		}
		seen[address{f.v.UnsafePointer(), f.v.Type()}] = true
		if f.v.Kind() == reflect.Pointer {
			region(f.v.Elem())
			look(f.name, f.v.Elem())
			continue
		}
		for i := range f.v.Len() {
			region(f.v.Index(i))
			look(fmt.Sprintf("%s[%d]", f.name, i), f.v.Index(i))
		}
	}
	return w
}

// has reports whether pointer v points into a known region.
func (w *world) has(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && slices.ContainsFunc(w.regions, func(r region) bool {
		from := r.now.UnsafeAddr()
		return from <= v.Pointer() && v.Pointer() < from+r.now.Type().Size()
	})
}

// restore restores the initial content of memory.
func (w *world) restore() {
	for _, r := range w.regions {
		r.now.Set(r.first)
	}
}

// changes returns the differences of memory from its initial content, as pairs of
// place and byte. The values of variables are not among them: variables are never
// written themselves.
func (w *world) changes() (all []int) {
	place := 0
	for _, r := range w.regions {
		size := r.now.Type().Size()
		now := unsafe.Slice((*byte)(r.now.Addr().UnsafePointer()), size)
		first := unsafe.Slice((*byte)(r.first.Addr().UnsafePointer()), size)
		for i, b := range now {
			if b != first[i] {
				all = append(all, place+i, int(b))
			}
		}
		place += len(now)
	}
	return all
}

// name returns the name of a variable.
func (w *world) name(x Variable) string {
	if name := w.names[x]; name != "" {
		return name
	}
	return fmt.Sprintf("%T", x)
}

// at returns the name of what v points to, or "".
func (w *world) at(v any) string {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer {
		return ""
	}
	if p.IsNil() {
		return "nil"
	}
	return "&" + w.things[v]
}
