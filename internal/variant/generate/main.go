// Command generate writes the patched copies of package variant. It must be run in the
// directory of that package.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/doorway/internal/variant"
)

func main() {
	for _, v := range variant.All() {
		if err := write(v); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// write replaces the copy of v.
func write(v variant.Variant) error {
	files, err := copies(v, filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	dir := filepath.FromSlash(v.Dir())
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
