package space

// An overtaking is the search for a run in which Who of a Wait waits while another begins, and enters first. A
// node of its paths is a state; from where the other is on its way, it is as many more as there are states, and
// the entry is the last node.
type overtaking struct {
	*Wait
	by     int
	layers [][]ID // by number of steps: the states first reached then, in which the other is on its way
	seen   Bits   // the states in layers
}

// Overtaking returns the slots of a shortest run in which one begins while another waits, and enters first, and
// these two. Of several runs of some waits, it picks the first wait, and then the lowest number of the one that
// enters first; and then as paths do, which are those of the space. There must be one.
func Overtaking(paths *Paths, waits ...*Wait) (overtaken, first int, slots []int) {
	var all []*overtaking
	for _, w := range waits {
		for q := range w.Of {
			if q != w.Who {
				all = append(all, &overtaking{Wait: w, by: q, seen: make(Bits, w.End()/64+1)})
			}
		}
	}
	for goesOn := true; goesOn; {
		goesOn = false
		for _, o := range all {
			if o.follow() {
				return o.Who, o.by, o.route(paths)
			}
			at := len(o.layers)
			goesOn = goesOn || at <= o.Depth() || len(o.layers[at-1]) > 0
		}
	}
	panic("space: internal error: a run that was found is gone")
}

// follow adds a layer, and reports whether a step to it is the entry.
func (o *overtaking) follow() (enters bool) {
	var layer []ID
	add := func(id ID) {
		if !o.seen.Has(int(id)) {
			o.seen.Add(int(id))
			layer = append(layer, id)
		}
	}
	at, size := len(o.layers), int(o.End())
	step := func(node int) {
		for slot := range o.Degree(ID(node % size)) {
			switch to := o.after(node, slot); {
			case to == 2*size:
				enters = true
			case to >= size:
				add(ID(to - size))
			}
		}
	}
	if at > 0 {
		for _, id := range o.layers[at-1] {
			step(size + int(id))
		}
		if o.Again != nil {
			o.AtLevel(at-1, func(id ID) { step(int(id)) })
		}
	}
	o.AtLevel(at, func(id ID) {
		if o.In(id) && o.Idle(id, o.by) {
			add(id)
		}
	})
	o.layers = append(o.layers, layer)
	return enters
}

// after returns the node to which a step leads; negative: none.
func (o *overtaking) after(node, slot int) int {
	size := int(o.End())
	from, later := ID(node%size), node >= size
	to := o.Successor(from, slot)
	switch {
	case to < 0 || !o.In(to):
		return int(to) // perhaps Who entered first, and waits again
	case later && o.Enters(from, slot, to) == o.by:
		return 2 * size
	case later, o.Idle(to, o.by), o.Again != nil && o.In(from) && o.Again(from, to) == o.by:
		return size + int(to)
	}
	return int(to)
}

// route returns the slots to the entry, which is in the last layer.
func (o *overtaking) route(w *Paths) []int {
	size, each, last := w.Size, w.Each, len(o.layers)-1
	w.Size = 2*size + 1
	w.Each = func(level int, f func(node int)) {
		each(level, f)
		for _, id := range o.layers[level] {
			f(size + int(id))
		}
		if level == last {
			f(2 * size)
		}
	}
	w.Next = func(node int, row []int) []int {
		for slot := range o.Degree(ID(node % size)) {
			row = append(row, o.after(node, slot))
		}
		return row
	}
	return w.Shortest(last, func(node int) bool { return node == 2*size })
}
