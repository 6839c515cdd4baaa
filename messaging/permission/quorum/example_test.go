package quorum_test

import (
	"fmt"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The sets of seven nodes are the lines of the smallest projective plane.
func Example() {
	s, err := quorum.New(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	for i := range messaging.ID(7) {
		fmt.Println(i, "asks", s.Of(i))
	}
	fmt.Println(s.Properties())
	// Output:
	// plane of order 2, 7 nodes
	// 0 asks [0 1 3]
	// 1 asks [1 2 4]
	// 2 asks [2 3 5]
	// 3 asks [3 4 6]
	// 4 asks [0 4 5]
	// 5 asks [1 5 6]
	// 6 asks [0 2 6]
	// in common to two sets: 1
	// node in its own set:   all
	// members of a set:      3
	// sets of a member:      3
}

// The sizes of the sets: the number of nodes that an entry asks.
func ExampleNew() {
	for _, n := range []int{4, 13, 25, 30, 100, 307} {
		best, _ := quorum.New(n)
		grid, _ := quorum.Grid(n)
		majority, _ := quorum.Majority(n)
		fmt.Printf("%3d nodes: grid %2d, majority %3d, best %2d (%v)\n", n, grid.Properties().Size.Most,
			majority.Properties().Size.Most, best.Properties().Size.Most, best)
	}
	// Output:
	//   4 nodes: grid  3, majority   3, best  3 (majority, 4 nodes)
	//  13 nodes: grid  7, majority   7, best  4 (plane of order 3, 13 nodes)
	//  25 nodes: grid  9, majority  13, best  6 (folded plane of order 5, 25 nodes)
	//  30 nodes: grid 10, majority  16, best  6 (folded plane of order 5, 30 nodes)
	// 100 nodes: grid 19, majority  51, best 12 (folded plane of order 11, 100 nodes)
	// 307 nodes: grid 35, majority 154, best 18 (plane of order 17, 307 nodes)
}

// Custom sets are checked.
func ExampleSets() {
	_, err := quorum.Sets([][]messaging.ID{{0, 1}, {1, 2}, {2, 3}, {3, 0}})
	fmt.Println(err)

	s, _ := quorum.Sets([][]messaging.ID{{0, 1}, {1, 2}, {1, 2}})
	fmt.Println(s.Properties())
	// Output:
	// quorum: the sets of nodes 0 and 2 have no member in common: [0 1] and [2 3]
	// in common to two sets: 1 (nodes 0 and 1) to 2 (nodes 1 and 2)
	// node in its own set:   all
	// members of a set:      2
	// sets of a member:      1 (node 0) to 3 (node 1)
}

// A plane has all of Maekawa's properties. A folded plane guarantees mutual
// exclusion, but some nodes have more work than others.
func ExampleFolded() {
	plane, _ := quorum.Plane(13)
	folded, _ := quorum.Folded(12)
	for _, s := range []quorum.System{plane, folded} {
		p := s.Properties()
		fmt.Printf("%d nodes: balanced %t, a node is in %d to %d sets\n", s.Nodes(), p.Balanced, p.Duty.Least, p.Duty.Most)
	}
	// Output:
	// 13 nodes: balanced true, a node is in 4 to 4 sets
	// 12 nodes: balanced false, a node is in 3 to 6 sets
}

// The nodes are a tree. As long as all are up, a node asks a path from the root to a leaf;
// two paths to leaves substitute for a node that is down.
func ExampleTree() {
	s, err := quorum.Tree(15)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("node 7 asks", s.Of(7))
	for _, down := range [][]messaging.ID{{3}, {0}, {0, 1, 2}, {0, 1, 2, 3, 4, 5, 6}, {7}, {0, 7, 8}, {0, 1, 7, 8}} {
		quorum, ok := s.Without(7, messaging.SetOf(down...))
		fmt.Println("without", down, "it asks", quorum, ok)
	}
	// Output:
	// node 7 asks [0 1 3 7]
	// without [3] it asks [0 1 7 8] true
	// without [0] it asks [1 2 3 6 7 14] true
	// without [0 1 2] it asks [3 4 5 6 7 10 12 14] true
	// without [0 1 2 3 4 5 6] it asks [7 8 9 10 11 12 13 14] true
	// without [7] it asks [0 1 3 8] true
	// without [0 7 8] it asks [1 2 4 6 10 14] true
	// without [0 1 7 8] it asks [] false
}

// Node 0 of each system asks others when node 1 is down.
func ExampleSystem_Without() {
	plane, _ := quorum.Plane(7)
	grid, _ := quorum.Grid(9)
	majority, _ := quorum.Majority(7)
	for _, s := range []quorum.System{plane, grid, majority} {
		members, ok := s.Without(0, messaging.SetOf(1))
		fmt.Printf("%v: %v, then %v %t\n", s, s.Of(0), members, ok)
	}
	// Output:
	// plane of order 2, 7 nodes: [0 1 3], then [0 4 5] true
	// 3×3 grid, 9 nodes: [0 1 2 3 6], then [0 3 4 5 6] true
	// majority, 7 nodes: [0 1 2 3], then [0 2 3 4] true
}
