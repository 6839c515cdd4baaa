package sim_test

import (
	"example.org/doorway/internal/catalog"
)

// lookup knows the algorithms of the library.
var lookup = catalog.Lookup
