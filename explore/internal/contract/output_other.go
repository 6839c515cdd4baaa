//go:build !linux

package contract

import "os"

// unnamed returns a temporary file that ceases to exist when it is closed, by this
// program and by those that inherit it.
func unnamed() (*os.File, error) { return removed() }
