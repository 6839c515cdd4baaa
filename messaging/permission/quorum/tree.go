package quorum

import "example.org/doorway/messaging"

// Tree returns tree quorums: the nodes form a binary tree, in which node v has the children
// 2v+1 and 2v+2, as in a heap, and a node asks a path from the root, node 0, through itself
// to a leaf (D. Agrawal, A. El Abbadi, "An efficient and fault-tolerant solution for
// distributed mutual exclusion", ACM Transactions on Computer Systems 9(1), 1991, 1-20).
// A path has about log2(N) nodes, fewer than the sets of any other system here; but the root
// is in every set, and so [New] does not consider trees. Tree returns an error unless
// 1 <= nodes <= 1<<20.
//
// For a node of the path that is down, [System.Without] substitutes two paths, from both its
// children to leaves. A leaf has no substitute, but the path may lead to another one. With
// N = 2^h-1 nodes, a quorum has from h = log2(N+1) members to (N+1)/2, all leaves, when all
// other nodes are down; and there is one while fewer than h nodes are down, whichever they are.
//
// If N is even, the last node is an only child, which alone substitutes for its parent.
func Tree(nodes int) (System, error) {
	if err := countable(nodes); err != nil {
		return System{}, err
	}
	t := tree(nodes)
	s, err := build("tree", nodes, func(i int) []messaging.ID {
		path, _ := t.quorum(0, messaging.ID(i), nil)
		return path
	})
	s.without = func(i messaging.ID, down messaging.Set) ([]messaging.ID, bool) { return t.quorum(0, i, down) }
	return s, err
}

// A tree has that number of nodes.
type tree int

// quorum returns the nodes that node i asks of those in the subtree of v. Two such sets
// intersect. By induction, if v is in both, they have v in common. If v is in neither, both
// contain sets of each of its children. If v is in one only, that one also contains a set
// of one child, and the other one sets of both.
func (t tree) quorum(v, i messaging.ID, down messaging.Set) ([]messaging.ID, bool) {
	children := t.children(v, i)
	if !down.Has(v) {
		if len(children) == 0 {
			return []messaging.ID{v}, true
		}
		for _, c := range children {
			if path, ok := t.quorum(c, i, down); ok {
				return append(path, v), true
			}
		}
		return nil, false
	}
	var all []messaging.ID
	for _, c := range children {
		path, ok := t.quorum(c, i, down)
		if !ok {
			return nil, false
		}
		all = append(all, path...)
	}
	return all, len(all) > 0
}

// children returns the children of v, first the one to which the path of node i leads: toward
// i, and below i to the last leaf of its left subtree, so that a leaf is in the sets of at most
// one other node if N is odd, and two if it is even.
func (t tree) children(v, i messaging.ID) []messaging.ID {
	left, right := 2*v+1, 2*v+2
	switch {
	case int(left) >= int(t):
		return nil
	case int(right) >= int(t):
		return []messaging.ID{left}
	case v == i || under(i, left):
		return []messaging.ID{left, right}
	}
	return []messaging.ID{right, left}
}

// under reports whether i is in the subtree of v.
func under(i, v messaging.ID) bool {
	for i > v {
		i = (i - 1) / 2
	}
	return i == v
}
