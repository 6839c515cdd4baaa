package nodetest_test

import (
	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// every checks every schedule, and returns what fails as an error, as Run does.
func every(a messaging.Algorithm, c explore.NodesConfig) (explore.NodesReport, error) {
	c.New = a
	r, err := explore.CheckNodes(c)
	if err != nil {
		return explore.NodesReport{}, err
	}
	return *r, r.Err()
}
