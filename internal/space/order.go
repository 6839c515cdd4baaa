package space

import "slices"

// Order returns the states in an order in which each comes after those to which it has
// steps, if there is one: it returns nil if there is a cycle. The successors are kept.
func (s *Space[K]) Order() []ID {
	if s.graded() {
		order := make([]ID, 0, s.States())
		for level := range s.levels {
			s.AtLevel(level, func(i ID) { order = append(order, i) })
		}
		slices.Reverse(order)
		return order
	}
	type visit struct {
		at   ID
		slot int
	}
	const onPath, done = 1, 2
	order, marks := make([]ID, 0, s.States()), make([]uint8, s.End())
	for start := range s.End() {
		if !s.Has(start) || marks[start] == done {
			continue
		}
		marks[start] = onPath
		for path := []visit{{start, 0}}; len(path) > 0; {
			top := &path[len(path)-1]
			if top.slot == s.Degree(top.at) {
				marks[top.at] = done
				order = append(order, top.at)
				path = path[:len(path)-1]
				continue
			}
			to := s.Successor(top.at, top.slot)
			top.slot++
			switch {
			case to < 0 || marks[to] == done:
			case marks[to] == onPath:
				return nil
			default:
				marks[to] = onPath
				path = append(path, visit{to, 0})
			}
		}
	}
	return order
}

// graded reports whether each step leads one level further from the root.
func (s *Space[K]) graded() bool {
	return !slices.ContainsFunc(s.shards[:], func(sh *shard[K]) bool { return sh.back })
}
