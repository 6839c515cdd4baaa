package hook

import "time"

// Now returns the time in nanoseconds since some moment. It is a variable for those who check every interleaving of code
// that depends on it, with a time of theirs.
var Now = func() uint64 { return uint64(time.Since(began)) }

var began = time.Now()
