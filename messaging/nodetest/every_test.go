package nodetest_test

import (
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/history"
	"example.org/doorway/messaging"
)

// every checks every schedule, and returns the first property that fails as an error, in the
// form of those of Run.
func every(a messaging.Algorithm, c explore.NodesConfig) (explore.NodesReport, error) {
	c.New = a
	r, err := explore.CheckNodes(c)
	if err != nil {
		return explore.NodesReport{}, err
	}
	failures := r.Failures()
	if len(failures) == 0 {
		return *r, nil
	}
	h := failures[0]
	kind := history.Endless
	switch {
	case r.MutualExclusion.History == h:
		kind = history.Exclusion
	case r.Invariant.History == h:
		kind = history.Invariant
	case r.Results.History == h:
		kind = history.Results
	case r.DeadlockFree.History == h && h.Loop < 0:
		kind = history.Stuck
	}
	return *r, &history.Repeatable{Err: &told{kind, strings.TrimSuffix(h.String(), "\n")}, Scenario: func() string { return h.Scenario }}
}

// A told failure has a history.
type told struct {
	kind    error
	history string
}

func (e *told) Error() string { return e.history }
func (e *told) Unwrap() error { return e.kind }
