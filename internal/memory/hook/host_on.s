//go:build doorway_explore

// With a file in assembly, the compiler accepts a function without a body: see labels.
