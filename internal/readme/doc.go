// Package readme holds the README to what the library does: its tables are
// generated, its figures are those of docs/results.md, its programs are those of
// examples/quickstart, and it stays short. It consists of tests.
package readme
