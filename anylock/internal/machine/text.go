package machine

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
)

// Texts that package fmt makes are known if it makes them of numbers, strings and booleans. Others have numbers from opaque on:
// they may be shown, as what fails, but not looked into.
const opaque = 1 << 40

// A texts numbers texts; the empty one has number 0.
type texts struct {
	all     []string
	numbers map[string]uint64
}

func newTexts() texts { return texts{[]string{""}, map[string]uint64{"": 0}} }

func (t *texts) number(s string) uint64 {
	n, ok := t.numbers[s]
	if !ok {
		n = uint64(len(t.all))
		t.all = append(t.all, s)
		t.numbers[s] = n
	}
	return n
}

// text returns the number of a string.
func (p *Program) text(s string) uint64 { return p.texts.number(s) }

// string returns the text of a string.
func (m *Machine) string(w uint64) string {
	if w >= opaque {
		refuse("a look into a text that fmt makes of something else than numbers, strings and booleans")
	}
	return m.p.texts.all[w]
}

// shown returns the text of a string for a reader.
func (m *Machine) shown(w uint64) string {
	if w >= opaque {
		return m.p.opaque.all[w-opaque]
	}
	return m.p.texts.all[w]
}

// print returns the number of a text that package fmt makes of a format, or of none, and the words of a slice of values.
func (m *Machine) print(of func(args []any) string, slice []uint64) uint64 {
	args, known := []any{}, true
	if slice[1] > 0 {
		m.complex = true // it reads what may be shared
		for k := range slice[1] {
			at := slice[0] + 2*k
			words := m.objects[at>>32].w[uint32(at):]
			v, ok := m.plain(words[:2])
			args, known = append(args, v), known && ok
		}
	}
	s := of(args)
	if known {
		return m.p.text(s)
	}
	return opaque + m.p.opaque.number(s)
}

// plain returns the value in an interface, if it is a number, a string or a boolean that fmt prints as such; else something in its
// place.
func (m *Machine) plain(words []uint64) (v any, ok bool) {
	if words[0] == 0 {
		return nil, true
	}
	t := m.p.types[words[0]].t
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return "a " + types.TypeString(t, func(*types.Package) string { return "" }), false
	}
	ok = m.p.ssa.MethodSets.MethodSet(t).Len() == 0 && types.Identical(t, b)
	switch {
	case b.Info()&types.IsString != 0:
		return m.shown(words[1]), ok && words[1] < opaque
	case b.Info()&types.IsBoolean != 0:
		return words[1] != 0, ok
	case b.Info()&types.IsUnsigned != 0:
		return words[1], ok
	}
	return int64(words[1]), ok
}

// verb is one of a format, and verbs are formats of those whose result depends on nothing else than the value.
var verb = regexp.MustCompile(`%[-+0-9.]*[a-zA-Z%]`)

var verbs = regexp.MustCompile(`^([^%]|%[-+0-9.]*[dvsqtxXboc]|%%)*$`)

func init() {
	text := func(of func(args []any) string) native {
		return func(m *Machine, a, r []uint64) signal {
			r[0] = m.print(of, a)
			return next
		}
	}
	format := func(m *Machine, a []uint64) uint64 {
		how := m.shown(a[0])
		if !verbs.MatchString(how) {
			refuse("the format %q", how)
		}
		return m.print(func(args []any) string { return fmt.Sprintf(how, args...) }, a[1:])
	}
	natives["fmt.Errorf"] = func(m *Machine, a, _ []uint64) signal {
		how, wrapped := m.shown(a[0]), []uint64{0, 0}
		k := 0
		how = verb.ReplaceAllStringFunc(how, func(v string) string {
			switch {
			case v == "%%":
			case v == "%w" && wrapped[0] == 0 && k < int(a[2]):
				at := a[1] + 2*uint64(k)
				wrapped = slices.Clone(m.objects[at>>32].w[uint32(at) : uint32(at)+2])
				v = "%v"
				fallthrough
			default:
				k++
			}
			return v
		})
		pkg := m.p.ssa.ImportedPackage("wrapping")
		if pkg == nil {
			refuse("a call of fmt.Errorf")
		}
		pkg.Build()
		args := []uint64{format(m, append([]uint64{m.p.text(how)}, a[1:]...)), wrapped[0], wrapped[1]}
		return m.call(m.p.function(pkg.Func("New")), nil, 0, args, nil)
	}
	natives["fmt.Sprint"] = text(func(args []any) string { return fmt.Sprint(args...) })
	natives["fmt.Sprintln"] = text(func(args []any) string { return fmt.Sprintln(args...) })
	natives["fmt.Sprintf"] = func(m *Machine, a, r []uint64) signal {
		r[0] = format(m, a)
		return next
	}
}
