package recovery_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine of a cluster is left after Close, whatever its nodes went through.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
