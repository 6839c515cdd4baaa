package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/page"
)

func TestMainElsewhere(t *testing.T) {
	const says = "page: Main runs in a browser: build it with GOOS=js GOARCH=wasm, or by doorway page -with"
	assert.PanicsWithValue(t, says, func() { page.Main("", nil) })
}
