//go:build !doorway_explore

package explore

// Without the tag Check returns ErrBuild before it examines source, so a program does not
// link package contract, nor the type checker of Go that it needs.

func vetPackage([]declaration) ([]stateless, error) { return nil, ErrBuild }

func locate(_, _ string) (string, error) { return "", ErrBuild }
