// Package lecture compares the formulas of lectures on mutual exclusion with
// measurements: it has only tests, which run the algorithms that users import in the
// simulator, and each names its slide.
//
//	Reiser        H. P. Reiser, Verteilte Algorithmen, Erlangen 2002, chapter 5
//	HAW           slides of HAW Hamburg on elections, mutual exclusion and multicast
//	Prabhakaran   B. Prabhakaran, Mutual Exclusion Algorithms
//	Mattern       F. Mattern, Verteilte Algorithmen, 1999/2000; slides are cited by title
//
// T is the message delay, E the duration of a critical section, N the number of
// nodes, and K the size of a quorum. Where a formula holds under a condition that
// the slide does not name, the test measures both cases.
package lecture
