//go:build js && wasm

package page

import (
	"syscall/js"

	"example.org/doorway/page/internal/session"
)

// Main is the main function of the WebAssembly program of a page that has, beside the algorithms of the library, what the
// constructor makes, by a name such as mylock.New, unless the name is empty. A constructor of a lock is a
// func(n int) mutex.Mutex, a func(n int) *T or a func() *T; that of a protocol is a func(messaging.Start) messaging.Node,
// or returns a messaging.Algorithm, for n nodes or any number. If it is none, the page says so. In the page or in a Worker
// of it, Main sets globalThis.doorway = {call(text)}, and does not return. On any other system it is the program by
// which doorway check, stress and trace run what is one's own, and panics if it is not they who call it.
func Main(name string, constructor any) {
	s := session.New(name, constructor, progress)
	js.Global().Set("doorway", map[string]any{"call": js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 || args[0].Type() != js.TypeString {
			return s.Call("")
		}
		return s.Call(args[0].String())
	})})
	select {}
}

// progress calls globalThis.doorwayProgress, if there is such a function. What that throws would end this program.
func progress(doing string, states int) {
	defer func() { _ = recover() }()
	js.Global().Call("doorwayProgress", doing, states)
}
