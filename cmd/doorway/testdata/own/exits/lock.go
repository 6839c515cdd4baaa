// Package exits has a constructor that ends the program.
package exits

import (
	"os"

	"example.org/doorway/mutex"
)

func New(int) mutex.Mutex {
	os.Exit(0)
	return nil
}
