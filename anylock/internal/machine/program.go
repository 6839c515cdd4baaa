package machine

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// A Program is code that machines run.
type Program struct {
	ssa       *ssa.Program
	layout    *layout
	functions []*function
	known     map[*ssa.Function]*function
	globals   map[*ssa.Global]ptr
	order     []*ssa.Global          // by the number of its object
	roots     int                    // how many of them goroutines may use: the first ones
	unknown   map[*ssa.Global]string // of those without an object
	texts     texts
	opaque    texts    // see text.go
	types     []*shape // by number, from 1
	numbers   typeutil.Map
	poolItem  *shape

	Fine  bool // nothing is reduced: each access to memory is a step, and no register is forgotten
	Whole bool // sync.Mutex is run as it is written, and not as what it promises
}

// A function is one of the program, compiled.
type function struct {
	number   int
	ssa      *ssa.Function
	code     []instruction
	list     []ssa.Instruction       // what the code is of, if it is an initializer
	slots    map[ssa.Value]int       // and where its registers are
	starts   map[*ssa.BasicBlock]int // and its blocks begin
	unknown  map[ssa.Value]string    // and why, of what it has not computed
	at       []token.Pos
	size     int                                                   // words of registers
	params   []kind                                                // of its first ones: parameters, then free variables
	args     int                                                   // of these, words of parameters
	results  int                                                   // words
	live     [][]slot                                              // by instruction: what is read then or later
	across   [][]slot                                              // what is read after it
	deliver  []func(f *frame, number int, value []uint64, ok bool) // by instruction: a channel gives, or takes
	native   native
	atomic   bool      // it is one of package sync/atomic, or of sync.Map: it is shown where it is called
	recovers bool      // it calls recover
	relaxed  bool      // its plain accesses of numbers are taken to be atomic: those of the package sync are meant so
	rest     int       // the instruction at which a goroutine may stop; 0: none
	frame    *function // that calls the native, see framed
}

// A slot is a register that holds a word of a kind.
type slot struct {
	at   int32
	kind kind
}

type instruction func(m *Machine, f *frame) signal

// A native is a function that has no code here: it gets its arguments, and sets its results.
type native func(m *Machine, args, results []uint64) signal

// New returns a program.
func New(prog *ssa.Program) *Program {
	return &Program{
		ssa: prog, layout: newLayout(), known: map[*ssa.Function]*function{}, globals: map[*ssa.Global]ptr{},
		unknown: map[*ssa.Global]string{}, texts: newTexts(), opaque: newTexts(), types: make([]*shape, 1),
	}
}

// typeNumber returns the number of a type in interfaces.
func (p *Program) typeNumber(t types.Type) uint64 {
	if n, ok := p.numbers.At(t).(uint64); ok {
		return n
	}
	n := uint64(len(p.types))
	p.types = append(p.types, p.layout.of(t))
	p.numbers.Set(t, n)
	return n
}

// pointing reports whether the value of an interface of a type is a pointer.
func (p *Program) pointing(number uint64) bool {
	if number == 0 {
		return false
	}
	s := p.types[number]
	return !s.direct && s.size() > 0 || s.direct && s.kinds[0] == pointer
}

// function returns a function, compiled.
func (p *Program) function(f *ssa.Function) *function {
	fn := p.known[f]
	if fn == nil {
		fn = &function{number: len(p.functions), ssa: f}
		pkg := packageOf(f)
		fn.relaxed, fn.atomic = pkg == "sync" || pkg == "internal/sync", pkg == "sync/atomic" || strings.HasPrefix(nameOf(f), "(*sync.Map).")
		p.functions = append(p.functions, fn)
		p.known[f] = fn
		for _, v := range f.Params {
			fn.params = append(fn.params, p.layout.of(v.Type()).kinds...)
		}
		fn.args = len(fn.params)
		for _, v := range f.FreeVars {
			fn.params = append(fn.params, p.layout.of(v.Type()).kinds...)
		}
	}
	return fn
}

// native returns what is run for a function of a name; nil: its code.
func (p *Program) native(name string) native {
	if n := promised[name]; n != nil && !p.Whole {
		return n
	}
	return natives[name]
}

// packageOf returns the path of the package in which a function is written.
func packageOf(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Pkg == nil {
		return ""
	}
	return f.Pkg.Pkg.Path()
}

// ready compiles a function, if it is not.
func (p *Program) ready(fn *function) {
	if fn.code != nil || fn.native != nil {
		return
	}
	name := nameOf(fn.ssa)
	if n := p.native(name); n != nil {
		fn.native, fn.results = n, len(p.layout.flatten(nil, fn.ssa.Signature.Results())) // no object has this shape
		return
	}
	if fn.ssa.Blocks == nil {
		refuse("a call of %s", name)
	}
	compile(p, fn)
}

// nameOf is the name of a function as the table of natives has it: of its generic form, if it is an instance.
func nameOf(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		return o.String()
	}
	return f.String()
}

// global returns a pointer to a global variable. These are the first objects of each machine.
func (p *Program) global(g *ssa.Global) ptr {
	at, ok := p.globals[g]
	if !ok {
		p.order = append(p.order, g)
		at = pointTo(len(p.order))
		p.globals[g] = at
	}
	return at
}

// method returns the method of a type that an interface's is.
func (p *Program) method(number uint64, m *types.Func) *function {
	f := p.ssa.LookupMethod(p.types[number].t, m.Pkg(), m.Name())
	if f == nil {
		refuse("the method %s of %v", m.Name(), p.types[number].t)
	}
	return p.function(f)
}
