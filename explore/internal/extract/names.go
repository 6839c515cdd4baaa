package extract

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// name names the registers of the lock after their fields; a register outside of
// fields is register[k].
func (x *Extraction) name() {
	for k := range x.Variables {
		v := &x.Variables[k]
		if v.Name = x.fields[unsafe.Pointer(v.Word)]; v.Name == "" {
			v.Name = fmt.Sprintf("register[%d]", k)
		}
	}
}

// nameOf returns the name of w.
func (x *Extraction) nameOf(w *atomic.Uint64) string {
	x.name()
	return x.Variables[x.of[w]].Name
}
