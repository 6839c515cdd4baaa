package nodes

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A queue is the messages in transit on a link, sorted if links are unordered. Number 0 of
// each link is empty.
type queue struct {
	messages []uint32
	least    messaging.Time // of its times; see leastOf
	heads    []head         // nil: not computed
	then     []consequence
}

// A consequence is the cell or queue after what another does to it.
type consequence struct {
	cause uint64 // see push, notice, expire and later
	to    uint32
}

// A position is the state of a node and its user.
type position struct {
	node  messaging.ID
	again bool // the node has restarted
	phase messaging.Phase
	state string           // encoded
	least messaging.Time   // see leastOf
	times []messaging.Time // all, in the order of the encoding, if they are ranked

	unticked bool // a clock of the node has not ticked
}

// A parcel is the messages that a node sends to another in one event.
type parcel struct {
	to     messaging.ID
	parcel uint32
}

// The kinds of parts that have numbers: the first byte of their encoding in
// numbers.
const (
	aCell byte = iota
	aQueue
	aPosition
	aMessage
	aParcel
)

// partBytes is about how many bytes a part takes beside its encoding, with what can happen
// to it.
const partBytes = 400

// numbered returns the number of the part encoded in data; if it had none, next, and the
// encoding, which is kept.
func (cs *cells) numbered(data []byte, next int) (n uint32, added string) {
	cs.buf = data
	if n, known := cs.numbers[string(data)]; known {
		return n, ""
	}
	if uint64(next) > math.MaxUint32 {
		panic("explore: nodes have more than 2^32 parts of states")
	}
	added = string(data)
	cs.numbers[added] = uint32(next)
	cs.bytes += int64(len(data)) + partBytes
	return uint32(next), added
}

// number returns the number of a cell.
func (cs *cells) number(c *cell) uint32 {
	data := append(cs.buf[:0], aCell)
	data = binary.AppendUvarint(data, uint64(c.position))
	left := uint64(c.left+1) << 2
	if c.fresh {
		left++
	}
	if c.down {
		left += 2
	}
	data = binary.AppendUvarint(data, left)
	if cs.c.Detected {
		data = binary.AppendUvarint(data, c.notices)
	}
	if cs.c.Inputs != nil {
		data = binary.AppendUvarint(data, uint64(c.given))
	}
	if cs.c.Results != nil {
		data = appendNumbers(data, c.emitted)
	}
	for _, t := range c.timers {
		data = binary.AppendUvarint(data, t.after)
		data = binary.AppendUvarint(data, uint64(t.message))
	}
	at := cs.positions[c.position].node
	n, added := cs.numbered(data, len(cs.all[at]))
	if added != "" {
		cs.bytes += 16 * int64(len(c.timers))
		c.phase, c.least = cs.positions[c.position].phase, cs.leastOfCell(c)
		cs.all[at] = append(cs.all[at], c)
	}
	return n
}

// link returns the number of a link.
func (cs *cells) link(from, to int) int { return from*cs.c.Nodes + to }

// queue returns the number of a queue of link l.
func (cs *cells) queue(l int, messages []uint32) uint32 {
	if cs.c.Unordered {
		slices.Sort(messages)
	}
	data := binary.AppendUvarint(append(cs.buf[:0], aQueue), uint64(l))
	n, added := cs.numbered(appendNumbers(data, messages), len(cs.links[l]))
	if added != "" {
		cs.bytes += 4 * int64(len(messages))
		q := &queue{messages: messages, least: noTime}
		for _, m := range messages {
			q.least = min(q.least, cs.leasts[m])
		}
		cs.links[l] = append(cs.links[l], q)
	}
	return n
}

func appendNumbers(data []byte, ns []uint32) []byte {
	data = binary.AppendUvarint(data, uint64(len(ns)))
	for _, n := range ns {
		data = binary.AppendUvarint(data, uint64(n))
	}
	return data
}

// position returns the number of the position of a node, with all times later by a
// difference.
func (cs *cells) position(i messaging.ID, again bool, p messaging.Phase, node messaging.Node, by messaging.Time) uint32 {
	what := byte(p)
	if again {
		what |= 1 << 7
	}
	data := binary.AppendUvarint(append(cs.buf[:0], aPosition, what), uint64(i))
	start := len(data)
	data = state.AppendMapped(data, node, cs.laterBy(by))
	n, added := cs.numbered(data, len(cs.positions))
	if added != "" {
		least := leastOf(node)
		if least != noTime && !cs.ranked {
			least += by
		}
		cs.positions = append(cs.positions, position{i, again, p, added[start:], least, nil, least == 1 && unticked(node)})
		cs.positions[n].times = cs.timesOf(node, cs.laterBy(by))
		if cs.c.Invariant != nil {
			cs.decoded = append(cs.decoded, cs.decode(cs.positions[n]))
			cs.bytes += state.Bytes(cs.decoded[n])
		}
	}
	return n
}

// message returns the number of a message or of a value that was emitted. It panics if m
// is not plain data.
func (cs *cells) message(m messaging.Message) uint32 {
	if err := state.CheckMessage(m); err != nil {
		history.Fail(history.OfNoKind, "%v", err)
	}
	data := append(cs.buf[:0], aMessage)
	data = state.Append(binary.AppendUvarint(data, uint64(cs.kind(m))), m)
	n, added := cs.numbered(data, len(cs.messages))
	if added != "" {
		cs.bytes += state.Bytes(m)
		cs.messages, cs.leasts, cs.times = append(cs.messages, m), append(cs.leasts, leastOf(m)), append(cs.times, cs.timesOf(m, nil))
	}
	return n
}

// kind returns the number of a message's type.
func (cs *cells) kind(m messaging.Message) int {
	t := reflect.TypeOf(m)
	k := slices.Index(cs.kinds, t)
	if k < 0 {
		k = len(cs.kinds)
		cs.kinds = append(cs.kinds, t)
	}
	return k
}

// parcel returns the number of messages that a node sends to another.
func (cs *cells) parcel(messages []uint32) uint32 {
	n, added := cs.numbered(appendNumbers(append(cs.buf[:0], aParcel), messages), len(cs.parcels))
	if added != "" {
		cs.parcels = append(cs.parcels, messages)
	}
	return n
}

// push returns queue n of link l after a parcel is sent on it.
func (cs *cells) push(b *seen, l int, n, parcel uint32) uint32 {
	q := cs.links[l][n]
	return cs.consequence(b, &q.then, uint64(parcel), func() uint32 {
		return cs.queue(l, slices.Concat(q.messages, cs.parcels[parcel]))
	})
}

// notice returns cell n of node i when it is yet to be told of the crash of node j, or is told of it no more.
func (cs *cells) notice(b *seen, i int, n uint32, j int, told bool) uint32 {
	c := cs.all[i][n]
	_, survives := messaging.As[messaging.Survivor](cs.nodes[i])
	if !survives || c.down || told == (c.notices>>j&1 == 1) {
		return n
	}
	cause := uint64(j)
	if !told {
		cause |= 3 << 62
	}
	return cs.consequence(b, &c.then, cause, func() uint32 {
		then := c.changed()
		then.notices ^= 1 << j
		return cs.number(then)
	})
}

// expire returns cell n of node i after time d has passed.
func (cs *cells) expire(b *seen, i int, n uint32, d uint64) uint32 {
	c := cs.all[i][n]
	if d == 0 || len(c.timers) == 0 {
		return n
	}
	return cs.consequence(b, &c.then, 1<<63|d, func() uint32 {
		then := c.changed()
		then.timers = slices.Clone(c.timers)
		for k := range then.timers {
			then.timers[k].after -= d
		}
		return cs.number(then)
	})
}

// consequence returns what follows from a cause.
func (cs *cells) consequence(b *seen, known *[]consequence, cause uint64, find func() uint32) uint32 {
	for _, t := range *known {
		if t.cause == cause {
			return t.to
		}
	}
	if !cs.learns(b) {
		return 0
	}
	to := find()
	*known = append(*known, consequence{cause, to})
	return to
}

// changed returns a copy of c that has no number yet.
func (c *cell) changed() *cell {
	return &cell{
		position: c.position, fresh: c.fresh, down: c.down, left: c.left, given: c.given, notices: c.notices,
		timers: c.timers, emitted: c.emitted,
	}
}
