// Package panics does not begin.
package panics

import "example.org/doorway/mutex"

func init() { panic("no memory left") }

func New(int) mutex.Mutex { return nil }
