package catalog_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
)

// The row that CONTRIBUTING.md shows has fields that there are.
func TestContributing(t *testing.T) {
	_, row, found := strings.Cut(page.Read(t, "../../CONTRIBUTING.md"), "```go\n")
	row, _, ended := strings.Cut(row, "```")
	require.True(t, found && ended, "CONTRIBUTING.md shows no row")
	fields := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[catalog.Algorithm](), reflect.TypeFor[catalog.Entry](), reflect.TypeFor[catalog.Claims]()} {
		for _, f := range reflect.VisibleFields(of) {
			fields[f.Name] = true
		}
	}
	keys := regexp.MustCompile(`(\w+):`).FindAllStringSubmatch(row, -1)
	for _, key := range keys {
		assert.True(t, fields[key[1]], "%s is no field of a row", key[1])
	}
	assert.Greater(t, len(keys), 10, "fields shown")
}
