//go:build !(js && wasm)

package page

import (
	"os"

	"example.org/doorway/internal/own"
)

// Main is the main function of the program by which doorway check, stress and trace run what is one's own: it answers
// the request that is its argument, and ends the program when standard input ends. Called otherwise it panics; built with
// GOOS=js GOARCH=wasm it is that of the page.
func Main(name string, constructor any) {
	if name == "" || len(os.Args) != 2 {
		panic("page: Main runs in a browser: build it with GOOS=js GOARCH=wasm, or by doorway page -with")
	}
	own.Main(name, constructor)
}
