package lecture_test

import (
	"testing"

	"example.org/doorway/internal/tier"
)

func TestMain(m *testing.M) { tier.Sequential(m) }
