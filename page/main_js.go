//go:build js && wasm

package page

import (
	"fmt"
	"syscall/js"

	"example.org/doorway/internal/play"
)

// Main is the main function of the WebAssembly program of a page that has, beside the algorithms of the library, those
// of one's own. It sets globalThis.doorway = {call(text)}, in the page or in a Worker of it, and never returns. On any
// other system, and if an own is no lock or protocol, it panics.
func Main(own ...Own) {
	for _, o := range own {
		if err := play.Add(o.Name, o.New); err != nil {
			panic(fmt.Sprintf("page: %s: %v", o.Name, err))
		}
	}
	s := &session{progress: progress}
	js.Global().Set("doorway", map[string]any{"call": js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || args[0].Type() != js.TypeString {
			return s.call("")
		}
		return s.call(args[0].String())
	})})
	select {}
}

// progress calls globalThis.doorwayProgress, if there is such a function. What that throws would end this program.
func progress(doing string, states int) {
	defer func() { _ = recover() }()
	js.Global().Call("doorwayProgress", doing, states)
}
