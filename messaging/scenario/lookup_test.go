package scenario_test

import (
	"example.org/doorway/catalog"
	"example.org/doorway/messaging/scenario"
)

// lookup knows the algorithms of the library.
var lookup scenario.Lookup = catalog.Scenario
