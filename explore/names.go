package explore

import (
	"fmt"
	"unsafe"

	"example.org/doorway/internal/seam"
)

// name names the registers of the lock after their fields; a register outside of
// fields is register[k].
func (x *extraction) name() {
	for k := range x.vars {
		v := &x.vars[k]
		if v.name = x.fields[unsafe.Pointer(v.word)]; v.name == "" {
			v.name = fmt.Sprintf("register[%d]", k)
		}
	}
}

// nameOf returns the name of w.
func (x *extraction) nameOf(w *seam.Number) string {
	x.name()
	return x.vars[x.of[w]].name
}
