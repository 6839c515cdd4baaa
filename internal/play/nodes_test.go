package play

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestServed(t *testing.T) {
	p := Open("nodes 4; algorithm ricartagrawala")
	p.Choose("a0.a2")
	assert.Equal(t, "S1 and S3 wait; 6 messages are in transit", p.View(0).Verdict.Text)
	p.Choose("s14")
	v := p.View(0)
	assert.Equal(t, Verdict{done, "all served, 12 messages: 2(N-1) each"}, v.Verdict)
	assert.Empty(t, v.Refused)
}
