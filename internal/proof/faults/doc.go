// Package faults has only tests: they compute what becomes of each message-passing algorithm of
// the catalog after one fault, in every schedule of a small instance, and make the tables of
// docs/faults.md.
package faults
