package play

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// property returns that of a name.
func property(t *testing.T, c Checked, name string) Property {
	t.Helper()
	require.Empty(t, c.Error)
	for _, p := range c.Verdicts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no verdict on %s among %v", name, c.Verdicts)
	return Property{}
}

func silent(string, int) {}

func TestCheck(t *testing.T) {
	c := Check("nodes 3; algorithm ricartagrawala; stay 1; run a0.a2.s5", silent)
	assert.Equal(t, Property{Name: "mutual exclusion", Status: explore.Holds, Note: "in every run of at most 1 request a node"}, property(t, c, "mutual exclusion"))
	assert.Equal(t, "every schedule of 3 nodes: each asks once, links are FIFO", c.Covers)
	assert.Positive(t, c.States)
	fifo := property(t, c, "FIFO")
	assert.Equal(t, explore.Fails, fifo.Status)
	assert.Contains(t, fifo.Note, "; not promised")
	v := Open(fifo.Text).View(0)
	assert.Empty(t, v.Refused)
	assert.Positive(t, v.Made)

	elected := Check("nodes 3; algorithm changroberts", silent)
	assert.Equal(t, explore.Holds, property(t, elected, "results").Status)
	assert.Contains(t, elected.Covers, "the users of all hold an election")
	assert.Contains(t, Check("nodes 3; algorithm cristian", silent).Error, "grow forever")
	assert.Contains(t, Check("nodes 3; algorithm nobody", silent).Error, "no algorithm")
}

// TestCounterexample opens at its last step: without FIFO links, two nodes of Lamport's algorithm are inside.
func TestCounterexample(t *testing.T) {
	c := Check("nodes 2; algorithm lamport; unordered", silent)
	v := Open(property(t, c, "mutual exclusion").Text).View(0)
	assert.Empty(t, v.Refused)
	assert.Equal(t, Verdict{violated, "S1 and S2 are inside at the same time"}, v.Verdict)
	assert.Empty(t, v.Choices, "the run has ended")
}

// TestCounterexampleKeepsItsLinks: those are in the text that opens it.
func TestCounterexampleKeepsItsLinks(t *testing.T) {
	c := Check("nodes 3; algorithm raymond; topology line", silent)
	fifo := property(t, c, "FIFO")
	require.Equal(t, explore.Fails, fifo.Status)
	v := Open(fifo.Text).View(0)
	assert.Empty(t, v.Refused)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}}, v.Run.Links)
}

// TestAdd: an algorithm of one's own is in front of the others, is played and checked.
func TestAdd(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("mine.New", ricartagrawala.New))
	require.NoError(t, Add("mine.Tree", func(n int) messaging.Algorithm { return raymond.New(topology.Line(n)) }))
	require.NoError(t, Add("mine.Broken", func(int) messaging.Algorithm { panic("not yet") }))
	for name, why := range map[string]string{
		"a b": "not one word", "maekawa": "already", "mine.Number": "a constructor is a func",
	} {
		assert.ErrorContains(t, Add(name, 7), why)
	}
	assert.Error(t, Add("mine.Nil", nil))
	assert.Equal(t, Algorithm{
		Name: "mine.New", Kind: "nodes", Group: "your own", Source: "your own", Least: 1, Most: mostNodes, Usual: 3, Text: "nodes %d; algorithm mine.New",
	}, List().Algorithms[0])
	assert.Equal(t, "mine.New", List().First, "what is one's own opens by itself")
	assert.Equal(t, "mine.New", Open(List().First).View(0).Run.Algorithm)

	p := Open("nodes 3; algorithm mine.New")
	p.Choose("a0.s5")
	assert.Equal(t, "All served: 4 messages, 4 an entry", p.View(0).Verdict.Text)
	assert.Empty(t, Open(p.Text()).View(0).Refused)
	assert.Equal(t, explore.Holds, property(t, Check(p.Text(), silent), "mutual exclusion").Status)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}}, Open("nodes 3; algorithm mine.Tree").View(0).Run.Links)
	assert.Equal(t, `"algorithm mine.Broken": mine.Broken panics: not yet`, Open("nodes 3; algorithm mine.Broken").View(0).Refused)
	assert.Contains(t, Open("nodes 3; algorithm mine.New; set S1 = S2; set S2 = S1; set S3 = S1").View(0).Refused, "takes no sets")
}
