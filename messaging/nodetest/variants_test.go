//go:build doorway_explore

package nodetest_test

import (
	"testing"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
)

func TestExploreIsCompleteOfVariant(t *testing.T) {
	naive, _ := catalog.FindProtocol("roucairolcarvalho/naive")
	visitsExactly(t, map[string]messaging.Algorithm{"naive": naive.New(2)})
}
