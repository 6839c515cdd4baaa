package state

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"example.org/doorway/messaging"
)

// A mapping replaces times; clock tells a [messaging.Clock] from a [messaging.Time].
type mapping = func(t messaging.Time, clock bool) messaging.Time

// A plan encodes and decodes values of a type.
type plan interface {
	// encode appends the encoding of v, with f applied to each time unless f is nil.
	encode(dst []byte, v reflect.Value, f mapping) []byte

	// decode sets v to the value encoded at the start of data, and returns the
	// rest. It does not write to memory that v refers to. After an error v is
	// undefined.
	decode(data []byte, v reflect.Value) ([]byte, error)

	// least is the minimum number of bytes of an encoded value.
	least() int
}

// compilation is the cached result for a type.
type compilation struct {
	plan plan
	open bool   // there are nodes or messages within
	node string // a field that is a node; "": there is none
	err  error
}

var compilations sync.Map // from reflect.Type to *compilation

// compiled returns the plan of a node if t is a pointer, and otherwise of a
// message.
func compiled(t reflect.Type) *compilation {
	if c, ok := compilations.Load(t); ok {
		return c.(*compilation)
	}
	var by compiler
	p, err := by.compileTop(t)
	if err != nil {
		err = fmt.Errorf("state: %w", err)
	}
	c, _ := compilations.LoadOrStore(t, &compilation{p, by.open, by.node, err})
	return c.(*compilation)
}

func (c *compiler) compileTop(t reflect.Type) (plan, error) {
	if t.Kind() != reflect.Pointer {
		return c.compile(t, t.String())
	}
	if t = t.Elem(); t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a node: a node is a pointer to a struct", reflect.PointerTo(t))
	}
	p, err := c.record(t, t.String(), true)
	if r, ok := p.(record); ok && reflect.PointerTo(t).Implements(typeOfRemaker) {
		return remade{r}, err
	}
	return p, err
}

// A compiler creates the plan of a type; within holds the enclosing types.
type compiler struct {
	within   []reflect.Type
	open     bool
	node     string
	enclosed *Kinds // that messages enclose; nil: any
	bare     bool   // see CheckBare
}

// CheckBare returns nil if values of a type are plain data without pointers, interfaces and unexported fields. Otherwise it
// returns an error that names the part of the type that is not.
func CheckBare(t reflect.Type) error {
	c := compiler{bare: true}
	_, err := c.compile(t, t.String())
	return err
}

var (
	typeOfTime  = reflect.TypeFor[messaging.Time]()
	typeOfClock = reflect.TypeFor[messaging.Clock]()
	typeOfSet   = reflect.TypeFor[messaging.Set]()
	typeOfNode  = reflect.TypeFor[messaging.Node]()
	typeOfMsg   = reflect.TypeFor[messaging.Message]()
)

// compile returns the plan of t, or an error that names the unsupported part; path
// leads to t.
func (c *compiler) compile(t reflect.Type, path string) (plan, error) {
	if slices.Contains(c.within, t) {
		return nil, fmt.Errorf("%s: a %v contains a %v: the type is recursive", path, t, t)
	}
	c.within = append(c.within, t)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	switch {
	case t == typeOfTime, t == typeOfClock:
		return clock{ticks: t == typeOfClock}, nil
	case t == typeOfSet:
		return set{}, nil
	case c.bare:
	case t == typeOfNode:
		c.open, c.node = true, path
		return nested{}, nil
	case t == typeOfMsg:
		c.open = true
		if c.enclosed != nil {
			return c.enclosed, nil
		}
		return enclosed{}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolean{}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return signed{}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsigned{}, nil
	case reflect.String:
		return text{}, nil
	case reflect.Array:
		elem, err := c.compile(t.Elem(), path+"[]")
		return array{elem, t.Len()}, filled(t, path, elem, err)
	case reflect.Slice:
		return c.slice(t, path)
	case reflect.Struct:
		return c.record(t, path, false)
	case reflect.Pointer:
		return c.pointer(t, path)
	}
	why := whyNotPlain(t.Kind())
	if t.Implements(typeOfNode) {
		why = whyNoNode
	}
	return nil, fmt.Errorf("%s is %s: %s", path, described(t), why)
}

// described returns a type with its article.
func described(t reflect.Type) string {
	if t.Kind() == reflect.Interface && t.Name() == "" {
		return "an " + t.String()
	}
	return "a " + t.String()
}

const whyNoNode = "a node within a node must be a field of type messaging.Node"

func (c *compiler) slice(t reflect.Type, path string) (plan, error) {
	elem, err := c.target(t, path+"[]")
	return slice{elem: elem}, filled(t, path, elem, err)
}

// filled returns err, or that the elements of an array or slice are empty, of which there may be any number.
func filled(t reflect.Type, path string, elem plan, err error) error {
	if err == nil && elem.least() == 0 {
		err = fmt.Errorf("%s is a %v: its elements are empty, use a number", path, t)
	}
	return err
}

func (c *compiler) pointer(t reflect.Type, path string) (plan, error) {
	switch {
	case c.bare:
		return nil, fmt.Errorf("%s is a %v: two pointers to one value would become two values", path, t)
	case t.Elem().Kind() != reflect.Struct:
		return nil, fmt.Errorf("%s is a %v: pointers must be to structs", path, t)
	}
	elem, err := c.target(t, path)
	if err != nil && t.Implements(typeOfNode) {
		err = fmt.Errorf("%s is a %v: %s", path, t, whyNoNode)
	}
	return pointer{elem: elem}, err
}

// target returns the plan of what a slice or a pointer refers to, which is made anew when a state is restored.
func (c *compiler) target(t reflect.Type, path string) (plan, error) {
	before := c.node
	elem, err := c.compile(t.Elem(), path)
	if err == nil && c.node != before {
		err = fmt.Errorf("%s is a messaging.Node behind a slice or pointer, which is made anew with the state: a node within a node must be a field of it, or in an array", c.node)
	}
	return elem, err
}

// record compiles a struct. If it is a node, or embedded in one, its unexported
// fields are not part of the state.
func (c *compiler) record(t reflect.Type, path string, node bool) (plan, error) {
	var r record
	for i := range t.NumField() {
		f := t.Field(i)
		p, err := c.field(f, path+"."+f.Name, node)
		if err != nil {
			return nil, err
		}
		if p != nil {
			r = append(r, field{i, f.Name, p})
		}
	}
	return r, nil
}

// field returns the plan of a field, or nil if it is not part of the state.
func (c *compiler) field(f reflect.StructField, path string, node bool) (plan, error) {
	switch {
	case node && f.Anonymous && f.Type.Kind() == reflect.Struct:
		return c.record(f.Type, path, true)
	case node && f.Anonymous && !f.IsExported():
		return nil, fmt.Errorf("%s is an embedded unexported %v: it must be a struct", path, f.Type)
	case f.IsExported():
		return c.compile(f.Type, path)
	case node:
		return nil, nil
	case c.bare:
		return nil, fmt.Errorf("%s is unexported: export it, as states are encoded by exported fields", path)
	}
	return nil, fmt.Errorf("%s is unexported: only nodes and structs embedded in them may have unexported fields", path)
}

// whyNotPlain returns why values of a kind are not plain data.
func whyNotPlain(k reflect.Kind) string {
	switch k {
	case reflect.Map:
		return "the order of a map is random"
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return "its contents cannot be copied"
	case reflect.Interface:
		return "an interface may hold anything"
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return "machines round differently"
	}
	return "it is not plain data"
}

var errEnd = errors.New("the data end too early")
