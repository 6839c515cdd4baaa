//go:build doorway_full

package tier

// Full reports whether this is a run of the full proof.
const Full = true
