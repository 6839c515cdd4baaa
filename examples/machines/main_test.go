package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is run is a program that explains itself, and its exit status is that of the command.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		flag, want string
		ok         bool
	}{
		{"-h", "-protocol algorithm", true},
		{"-lease=1ms", "machines: -lease 1ms: it must be from", false},
	} {
		demo := command(c.flag)
		_, err := demo.StdinPipe()
		require.NoError(t, err)
		out, err := demo.CombinedOutput()
		assert.Equal(t, c.ok, err == nil)
		assert.Contains(t, string(out), c.want)
	}
}
