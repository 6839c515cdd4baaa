package space

// Unbounded is a number without a bound.
const Unbounded = -1

// many is any number of entries that can follow.
const many = 255

// A Precedence describes the entries of others while one waits.
type Precedence struct {
	Most  int  // entries of another, or Unbounded
	All   int  // entries of all others together, or Unbounded
	Fails bool // another can request and enter
}

// Or returns the larger bounds of two, and whether one of them fails.
func (w Precedence) Or(v Precedence) Precedence {
	return Precedence{larger(w.Most, v.Most), larger(w.All, v.All), w.Fails || v.Fails}
}

func larger(a, b int) int {
	if a == Unbounded || b == Unbounded || b == many {
		return Unbounded
	}
	return max(a, b)
}

// A Wait is the states in which one of several waits to enter.
type Wait struct {
	Subgraph
	Who, Of int                                // the one that waits, and the number of all
	Follow  []uint8                            // by state, and by each other: the most entries that can follow; at Who, those of all others
	Enters  func(from ID, slot int, to ID) int // which of them enters by a step; negative: none
	Idle    func(i ID, who int) bool           // whether it has yet to request
	Again   func(from, to ID) int              // which of them makes a request again that it has aborted; negative: none. Nil: none ever
}

// Precedes counts from the last components backwards: each state gets the most entries of
// each other that can follow while Who still waits, and of all others together; an entry
// within a component can repeat any number of times. It calls visit with each component
// first, until that returns true: then nothing that follows matters.
func (w *Wait) Precedes(m *Scratch, visit func(c *Component, so Precedence) bool) (all Precedence) {
	n := w.Of
	var row []ID
	most, again := make([]uint8, n), make([]bool, n)
	w.Components(m, func(c *Component) bool {
		if visit(c, all) {
			return true
		}
		clear(most)
		clear(again)
		for _, from := range c.States {
			row = w.Row(from, row[:0])
			for slot, to := range row {
				if to < 0 || !w.In(to) {
					continue
				}
				stays, enters := c.stays(from, slot, to), w.Enters(from, slot, to)
				if w.Again != nil {
					if q := w.Again(from, to); q >= 0 {
						again[q] = again[q] || stays
						all.Fails = all.Fails || !stays && w.Follow[int(to)*n+q] > 0
					}
				}
				for q := range n {
					var k uint8
					if !stays {
						k = w.Follow[int(to)*n+q]
					}
					if enters >= 0 && (q == enters || q == w.Who) {
						if k < many {
							k++
						}
						if stays {
							k = many
						}
					}
					most[q] = max(most[q], k)
				}
			}
		}
		for _, i := range c.States {
			copy(w.Follow[int(i)*n:], most)
			for q := range n {
				all.Fails = all.Fails || q != w.Who && most[q] > 0 && (again[q] || w.Idle(i, q))
			}
		}
		for q := range n {
			if q == w.Who {
				all.All = larger(all.All, int(most[q]))
			} else {
				all.Most = larger(all.Most, int(most[q]))
			}
		}
		return false
	})
	return all
}
