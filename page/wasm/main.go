// Wasm is the WebAssembly program of the page; doorway page builds it.
package main

import "example.org/doorway/page"

func main() { page.Main("", nil) }
