package snapshot

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

type node struct {
	start    messaging.Start
	to, from []messaging.ID // the channels; nil: with all others

	layer.Methods          // of the node of the algorithm
	Latest        []uint64 `messaging:"durable"`
	Running       []recording
}

// A recording is the part of a snapshot that a node has recorded so far.
type recording struct {
	Of       ID
	State    State
	Open     messaging.Set
	Channels []Channel
}

func newNode(a messaging.Algorithm, start messaging.Start, to, from []messaging.ID) messaging.Node {
	inner := a(start)
	if inner == nil {
		return nil
	}
	if layer.Has[*node](inner) {
		panic("snapshot: snapshots of nodes that have them already")
	}
	return &node{start: start, to: to, from: from, Methods: layer.Methods{Node: inner}, Latest: make([]uint64, start.Nodes)}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("snapshot", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Take:
		id := ID{n.start.Self, n.Latest[n.start.Self] + 1}
		out.Emit(Began{id})
		n.begin(id, out)
		n.end(id, out)
	case marker:
		if n.Latest[m.Of.Initiator] < m.Of.Number {
			n.begin(m.Of, out)
		}
		if k := n.recording(m.Of); k >= 0 {
			n.Running[k].Open.Remove(from)
			n.end(m.Of, out)
		}
	default:
		n.Node.Receive(from, m, out)
		for k := range n.Running {
			if r := &n.Running[k]; r.Open.Has(from) {
				r.record(from, m)
			}
		}
	}
}

// begin records the state, and begins to record the channels.
func (n *node) begin(id ID, out messaging.Out) {
	n.Latest[id.Initiator] = id.Number
	var marker messaging.Message = marker{id}
	for _, j := range n.channels(n.to) {
		out.Send(j, marker)
	}
	n.Running = append(n.Running, recording{Of: id, State: n.state(), Open: messaging.SetOf(n.channels(n.from)...)})
}

// channels returns the other ends of channels.
func (n *node) channels(listed []messaging.ID) []messaging.ID {
	if listed != nil {
		return listed
	}
	return slices.Collect(n.start.Others())
}

// recording returns the index of a snapshot in which this node still records, or -1.
func (n *node) recording(id ID) int {
	return slices.IndexFunc(n.Running, func(r recording) bool { return r.Of == id })
}

// record adds a message from a node.
func (r *recording) record(from messaging.ID, m messaging.Message) {
	k, found := slices.BinarySearchFunc(r.Channels, from, func(c Channel, from messaging.ID) int { return cmp.Compare(c.From, from) })
	if !found {
		r.Channels = slices.Insert(r.Channels, k, Channel{From: from})
	}
	r.Channels[k].Messages = append(r.Channels[k].Messages, m)
}

// end emits the part of this node, if no channel is recorded any more.
func (n *node) end(id ID, out messaging.Out) {
	k := n.recording(id)
	if r := n.Running[k]; r.Open.Len() == 0 {
		n.Running = slices.Delete(n.Running, k, k+1)
		out.Emit(Part{r.Of, n.start.Self, r.State, r.Channels})
	}
}
