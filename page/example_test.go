package page_test

import (
	"example.org/doorway/page"
	"example.org/doorway/peterson"
)

// A program of one's own, built with GOOS=js GOARCH=wasm and the tag doorway_explore, is the page with a lock
// of one's own beside those of the library. "doorway page -with" writes such a program.
func ExampleMain() {
	page.Main("mylock.New", peterson.New)
}
