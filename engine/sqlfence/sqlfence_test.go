package sqlfence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/sqlfence"
	"example.org/doorway/messaging"
)

type guard messaging.Token

func (g guard) Token() messaging.Token { return messaging.Token(g) }

func (guard) ID() string { return "one" }

// What no database need be asked about. The module in directory test has the tests with databases.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		resource string
		token    messaging.Token
		want     string
	}{
		{"", messaging.Token{Epoch: 1, Count: 1}, "sqlfence: the resource has no name"},
		{"orders", messaging.Token{}, `sqlfence: the guard "one" has no token`},
		{"orders", messaging.Token{Epoch: 1 << 63, Count: 1}, "sqlfence: the token 9223372036854775808.1 is too large: its parts are at most 9223372036854775807"},
		{"orders", messaging.Token{Epoch: 1, Count: 1 << 63}, "sqlfence: the token 1.9223372036854775808 is too large: its parts are at most 9223372036854775807"},
	} {
		require.EqualError(t, sqlfence.Check(t.Context(), nil, c.resource, guard(c.token)), c.want)
	}
}
