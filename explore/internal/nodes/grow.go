package nodes

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// If requests have no bound, an exploration ends only if the states do not grow with them.
// So once there are probed states, a few long random runs look for what grows: a number in
// the state of a node (a time counts from the least one of all), the length of a slice, or
// of the queue of a link. In some of them only one user requests in the end, or all but
// one, and in others nothing arrives on one link in the end: what is not heard of keeps old
// times. What has exceeded its largest value mostValues times is taken to grow forever. No
// number of a finite protocol of the catalog does so 40 times.
const (
	probed     = 5000
	mostValues = 256
)

// growth has the largest value of each number, by name.
type growth struct {
	*graph
	records records
	nodes   map[uint32]bool // the positions that have been looked at
	wrong   error
}

type records map[string]*growing

type growing struct {
	most   uint64
	values int // how often it has been exceeded
}

// grows returns an error if states grow with the requests.
func (c *Config) grows(ranked bool) error {
	cs, err := newCells(c, ranked)
	if err != nil {
		return err
	}
	cs.learning, cs.certified = true, true
	gr := growth{newGraph(c, cs, cs.roomyLayout()), records{}, map[uint32]bool{}, nil}
	gr.run(func(*label) bool { return true })
	for i := range c.Nodes {
		gr.run(func(l *label) bool { return l.what != asks || l.node == i })
		gr.run(func(l *label) bool { return l.what != asks || l.node != i })
	}
	for link := range cs.links {
		gr.run(func(l *label) bool { return l.link != link })
	}
	return gr.wrong
}

// run is a random run, without faults, in which after a while only what may happens.
func (gr *growth) run(may func(l *label) bool) {
	n := gr.c.Nodes
	gr.wander(rand.New(rand.NewPCG(uint64(n), 0)), 2000*n, gr.look, func(step int, l *label) bool {
		return !l.fault() && (step < 50*n || may(l))
	}, func(*label) {})
}

// look notes the numbers in the state of b, and reports whether none of them grows.
func (gr *growth) look(b *seen) bool {
	for _, c := range b.cells {
		gr.note("the number of timers of a node", uint64(len(c.timers)))
		if !gr.nodes[c.position] {
			gr.nodes[c.position] = true
			gr.measure(gr.cells.restored(gr.cells.positions[c.position]))
		}
	}
	for l, all := range gr.cells.links {
		gr.note("the number of messages in transit on a link", uint64(len(all[b.queues[l]].messages)))
	}
	return gr.wrong == nil
}

var elements = regexp.MustCompile(`\.\[\d+\]`)

// measure notes the numbers in a node.
func (gr *growth) measure(node messaging.Node) {
	state.Within(nil, reflect.ValueOf(node), func(path []string, v reflect.Value) bool {
		name := elements.ReplaceAllString(strings.Join(path, "."), "[]")
		field := "the field " + name + " of a node"
		switch v.Kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			gr.note(field, uint64(max(v.Int(), -v.Int())))
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			if t := v.Type(); t == reflect.TypeFor[messaging.Time]() || t == reflect.TypeFor[messaging.Clock]() {
				field = "the time " + name + " of a node, counted from the least one of all nodes and messages,"
			}
			gr.note(field, v.Uint())
		case reflect.Slice:
			if v.Type() == reflect.TypeFor[messaging.Set]() {
				return false // of nodes
			}
			gr.note("the length of "+field, uint64(v.Len()))
		}
		return true
	})
}

// note notes a value of a number.
func (gr *growth) note(what string, value uint64) {
	if gr.records.grows(what, value) && gr.wrong == nil {
		gr.wrong = &unclosedError{fmt.Errorf("states grow with the requests: %s reaches %d in a random run, and there seems to be no end of it", what, value), strings.HasPrefix(what, "the time ")}
	}
}

// grows notes a value of a number, and reports whether it is one of too many that are the largest so far.
func (rs records) grows(what string, value uint64) bool {
	r := rs[what]
	if r == nil {
		r = &growing{}
		rs[what] = r
	}
	if value <= r.most {
		return false
	}
	r.most = value
	r.values++
	return r.values > mostValues
}
