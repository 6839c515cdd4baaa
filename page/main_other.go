//go:build !(js && wasm)

package page

// Main panics, as this is no WebAssembly program.
func Main(...Own) {
	panic("page: Main runs in a browser: build it with GOOS=js GOARCH=wasm, or by doorway page -with")
}
