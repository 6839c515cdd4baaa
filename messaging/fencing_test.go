package messaging_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
)

func TestTokenOrder(t *testing.T) {
	tokens := []messaging.Token{{}, {Count: 1}, {Count: 2}, {Epoch: 1}, {Epoch: 1, Count: 1}, {Epoch: 2}}
	for i, a := range tokens {
		for j, b := range tokens {
			assert.Equal(t, i < j, a.Before(b), "%v before %v", a, b)
		}
	}
	assert.Equal(t, "2.17", messaging.Token{Epoch: 2, Count: 17}.String())
}
