package cluster_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine of a cluster is left after Close, whatever a test did with it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
