//go:build !doorway_explore

package main

import "context"

// runWritten hands on to the other build, since most calls need not wait for the type checker to be built.
func (u *checkup) runWritten(ctx context.Context, s streams, _ string, _ *ownCode) error {
	return handOn(ctx, s, nil, false)
}
