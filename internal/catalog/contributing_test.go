package catalog_test

import (
	"go/ast"
	"go/parser"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
)

// The row that CONTRIBUTING.md shows has fields that there are.
func TestContributing(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	require.NoError(t, err)
	_, row, found := strings.Cut(string(text), "```go\n")
	row, _, ended := strings.Cut(row, "```")
	require.True(t, found && ended, "CONTRIBUTING.md shows no row")
	e, err := parser.ParseExpr("[]Algorithm{" + row + "}")
	require.NoError(t, err)
	fields := map[string]bool{}
	for _, of := range []reflect.Type{reflect.TypeFor[catalog.Algorithm](), reflect.TypeFor[catalog.Entry](), reflect.TypeFor[catalog.Claims]()} {
		for _, f := range reflect.VisibleFields(of) {
			fields[f.Name] = true
		}
	}
	keys := 0
	ast.Inspect(e, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			assert.True(t, fields[pair.Key.(*ast.Ident).Name], "%s is no field of a row", pair.Key)
			keys++
		}
		return true
	})
	assert.Greater(t, keys, 10, "fields shown")
}
