// Package docs holds the README and docs to what the library does: the tables of the README are
// generated, its figures are those of docs/results.md, its programs are those of
// examples/quickstart, and whatever pages link to or name exists. It consists of tests.
package docs
