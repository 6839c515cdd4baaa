// Package verdict has what the program of the mutants says of one: it is all that package mutants
// knows of that program, whose sources are those of the algorithms.
package verdict

// A Result is the result of judging a lock.
type Result struct {
	Fails  string `json:"fails,omitempty"`  // the claim that does not hold; "": all do
	Detail string `json:"detail,omitempty"` // how
	Setup  string `json:"setup,omitempty"`  // where it does not hold
	Steps  int    `json:"steps,omitempty"`  // of the shortest counterexample; 0: there is none
	Trace  string `json:"trace,omitempty"`  // that counterexample, as text

	// Graphs has the sizes of everything that was explored: two locks with the same
	// sizes are most likely equivalent.
	Graphs []Graph `json:"graphs"`

	// Error is the reason why there is no verdict.
	Error string `json:"error,omitempty"`
}

// A Graph is the size of one exploration.
type Graph struct {
	Setup                           string
	States, Transitions, Cut, Depth int
	Bypasses, Reads, Writes         int
}

// The arguments with which nodes are judged by explorations, and a lock that is known to be right.
const (
	Explored = "explored"
	Quick    = "quick"
)
