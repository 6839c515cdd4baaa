// Package untyped has an error of its types.
package untyped

import "example.org/doorway/mutex"

func New(n int) mutex.Mutex { return n }
