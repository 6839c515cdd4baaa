package machine

import (
	"fmt"
	"go/types"
	"strings"
)

// Name returns the name of a place in memory, as code that starts at a variable of a package would write it.
func (m *Machine) Name(at ptr) string {
	if at>>32 == 0 || at&isFunction != 0 {
		return ""
	}
	names := map[int]string{}
	var ahead []int
	for k := range m.p.roots {
		g := m.p.order[k]
		names[k+1] = g.Name()
		if g.Pkg.Pkg.Path() == "harness" && g.Name() == "lock" {
			ahead = append([]int{k + 1}, ahead...)
			continue
		}
		ahead = append(ahead, k+1)
	}
	for len(ahead) > 0 {
		id := ahead[0]
		ahead = ahead[1:]
		o := &m.objects[id]
		n := len(o.shape.kinds)
		for k := range o.w {
			to := m.target(o.shape.kinds[k%n], o.w, k, o.w[k])
			if to == 0 || names[to] != "" {
				continue
			}
			names[to] = names[id] + m.path(o, k)
			ahead = append(ahead, to)
		}
	}
	id := int(at >> 32)
	name := names[id]
	if name == "" {
		name = "new"
		if t := m.objects[id].shape.t; t != nil {
			name = types.TypeString(t, func(*types.Package) string { return "" })
		}
	}
	return name + m.path(&m.objects[id], int(uint32(at)))
}

// path returns how a word of an object is reached: the fields and elements.
func (m *Machine) path(o *object, k int) string {
	if o.shape.t == nil || o.shape.frozen {
		return ""
	}
	var b strings.Builder
	if size := o.shape.size(); o.n > 1 && size > 0 {
		fmt.Fprintf(&b, "[%d]", k/size)
		k %= size
	}
	for t, name := o.shape.t, ""; t != nil && !m.p.hidden(t); b.WriteString(name) {
		t, name, k = m.p.layout.part(t, k)
	}
	return b.String()
}

// hidden reports whether a type is one whose fields are not named: of sync/atomic, and sync.Mutex if that is what it promises.
func (p *Program) hidden(t types.Type) bool {
	return strings.HasPrefix(types.TypeString(types.Unalias(t), nil), "sync/atomic.") || isMutex(t) && !p.Whole
}

func isMutex(t types.Type) bool { return types.TypeString(types.Unalias(t), nil) == "sync.Mutex" }

// Value returns a word as it is at a place.
func (m *Machine) Value(at ptr, w uint64) string {
	if at>>32 == 0 {
		return ""
	}
	o := &m.objects[at>>32]
	if n := len(o.shape.kinds); n > 0 && o.shape.kinds[int(uint32(at))%n] == pointer {
		if w == 0 {
			return "nil"
		}
		if w&isFunction == 0 && m.objects[w>>32].shape.t != nil {
			return "a " + types.TypeString(m.objects[w>>32].shape.t, func(*types.Package) string { return "" })
		}
		return "not nil"
	}
	return fmt.Sprint(int64(w))
}

// Object returns the number of the object of a variable of a package.
func (m *Machine) Object(pkg, name string) int {
	for g, at := range m.p.globals {
		if g.Pkg.Pkg.Path() == pkg && g.Name() == name {
			return int(at >> 32)
		}
	}
	return 0
}

// String has all memory that goroutines can reach, but for the numbers of shapes, which are those of one program.
func (m *Machine) String() string {
	m.Encode(m.Order(nil), nil)
	c, all := &m.code, fmt.Sprint(m.fixed)
	for _, id := range c.order {
		if c.owners[id] == shared {
			o := &m.objects[m.last+1+id]
			c.b = nil
			c.words(o.shape.kinds, o.w, 0)
			all += fmt.Sprintf(" %v %q", o.shape.t, c.b)
		}
	}
	return all
}

// Text returns the string of a word.
func (m *Machine) Text(w uint64) string { return m.shown(w) }
