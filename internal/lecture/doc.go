// Package lecture holds the formulas of lectures on mutual exclusion against what
// is measured: its tests run the algorithms that users import in the simulator,
// and each names the slide that it is about.
//
//	Reiser        H. P. Reiser, Verteilte Algorithmen, Erlangen 2002, chapter 5
//	HAW           slides of HAW Hamburg on elections, mutual exclusion and multicast
//	Prabhakaran   B. Prabhakaran, Mutual Exclusion Algorithms
//	Mattern       F. Mattern, Verteilte Algorithmen, 1999/2000, whose slides go by their titles
//
// T is the delay of a message, E how long a node stays inside, N the number of
// nodes, and K the size of a quorum. Where a formula holds under a condition that
// the slide does not name, the test measures both what holds and what does not.
package lecture
