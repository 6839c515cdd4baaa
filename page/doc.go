// Package page is the page of doorway: run, step and check every algorithm in a browser, by the code that programs import.
//
//	go run example.org/doorway/cmd/doorway page
//
// builds it as one HTML file, and opens it. The package is the WebAssembly program in that file: [Main] answers requests
// in JSON for the ES modules in the directory static. All that they show, package internal/play finds out.
//
// Elsewhere, Main is the program by which the command checks, stresses and traces a lock or a protocol of one's own. Its
// constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where *T is a lock; of a protocol it is a
// func(messaging.Start) messaging.Node, or a func(n int) or func() that returns a messaging.Algorithm.
package page
