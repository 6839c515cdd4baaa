// Package behind has protocols that call methods through interfaces that only it can
// name: of its own types, and of others.
package behind

import (
	"sync/atomic"

	"example.org/doorway/register"
)

type (
	adder    interface{ Add(n uint64) uint64 }
	swapper  interface{ Swap(n uint64) uint64 }
	loader   interface{ Load() uint64 }
	storer   interface{ Store(n uint64) }
	subtract interface{ Sub(n uint64) uint64 }
	ander    interface{ And(n uint64) uint64 }
	orer     interface{ Or(n uint64) uint64 }
	clean    interface{ Clean() uint64 }
)

type own struct{ w register.Word }

func (o *own) Add(n uint64) uint64  { return n }
func (o *own) Swap(n uint64) uint64 { return n }
func (o *own) Load() uint64         { return 1 }
func (o *own) Store(uint64)         {}
func (o *own) Sub(n uint64) uint64  { return n }
func (o *own) And(n uint64) uint64  { return n }
func (o *own) Or(n uint64) uint64   { return n }
func (o *own) Clean() uint64        { return o.w.Load() }

// A promoter has its method from elsewhere.
type promoter struct{ atomic.Uint64 }

type noter interface{ Note() uint64 }

func (o *own) Note() uint64 { return 1 }

type sayer interface{ Say() uint64 }

func (o *own) Say() uint64 { return 1 }

// Noter can be set by other packages.
var Noter noter = &own{}

type Lock struct {
	noter   noter
	procs   register.Processes
	x       register.Word
	adder   adder
	swapper []swapper
	loader  loader
	storer  storer
	Orer    orer
	Sayer   sayer
	ander   ander
	clean   clean
}

func New(ands ander, any any) *Lock {
	l := &Lock{adder: &own{}, clean: &own{}, noter: Noter, loader: any.(loader), ander: ands}
	l.adder = new(atomic.Uint64)
	l.swapper = append(l.swapper, new(atomic.Uint64))
	l.storer = &promoter{}
	return l
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.adder.Add(1)       // want "Lock: calls behind.adder.Add through an interface: its implementation is unknown"
	l.swapper[0].Swap(1) // want "Lock: calls behind.swapper.Swap through an interface: .*"
	l.loader.Load()      // want "Lock: calls behind.loader.Load through an interface: .*"
	l.storer.Store(1)    // want "Lock: calls behind.storer.Store through an interface: .*"
	l.Orer.Or(1)         // want "Lock: calls behind.orer.Or through an interface: .*"
	l.ander.And(1)       // want "Lock: calls behind.ander.And through an interface: .*"
	l.Sayer.Say()        // want "Lock: calls behind.sayer.Say through an interface: .*"
	l.noter.Note()       // want "Lock: calls behind.noter.Note through an interface: .*"
	sub(&own{})          // want "Lock: makes a register: .*"
	l.clean.Clean()
	p.Inside()
}

func sub[T subtract](v T) {
	v.Sub(1) // want "sub: calls behind.subtract.Sub through a type parameter: its implementation is unknown"
}
