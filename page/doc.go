// Package page is the page of doorway: run, step and check every algorithm in a browser, by the code that programs import.
//
//	go run example.org/doorway/cmd/doorway page
//
// builds it as one HTML file, and opens it. The package is the WebAssembly program in that file: [Main] answers requests
// in JSON for the ES modules in the directory static. All that they show, package internal/play finds out.
package page
