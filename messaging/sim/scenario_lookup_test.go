package sim_test

import (
	"example.org/doorway/catalog"
)

// lookup knows the algorithms of the library.
var lookup = catalog.Scenario
