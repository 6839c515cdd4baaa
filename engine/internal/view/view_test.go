package view_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/internal/view"
)

var terms = view.Terms{Protocol: "p", Lease: 60 * time.Second, Drift: 3 * time.Second, Grace: 3 * time.Second}

// A store has one record.
type store struct {
	record  view.Record
	version uint64
}

// swap has a member change the record, if it wants to, and reports whether it has.
func (s *store) swap(m *view.Member, now view.Time) bool {
	next, wants := m.Propose(now, 1000, 7)
	if !wants || m.Version != s.version {
		return false
	}
	s.set(m, next, now)
	return true
}

func (s *store) set(m *view.Member, next view.Record, now view.Time) {
	s.record, s.version = next, s.version+1
	m.Look(s.record, s.version, now)
	m.Step(now)
}

func (s *store) show(m *view.Member, now view.Time) {
	m.Look(s.record, s.version, now)
	m.Step(now)
}

// pair returns two members that have started.
func pair(t *testing.T) (s *store, a, b *view.Member) {
	t.Helper()
	s, a, b = &store{}, view.New("a", terms), view.New("b", terms)
	require.True(t, s.swap(a, 0))
	require.True(t, a.Started, "alone")
	s.show(b, 0)
	require.True(t, s.swap(b, 0))
	s.show(a, 0)
	require.False(t, a.Started)
	assert.False(t, a.Hear(s.record.Epoch-1, 7, 1, true), "of an epoch before")
	assert.False(t, a.Hear(s.record.Epoch, 8, 1, true), "of another view of the same number")
	assert.False(t, a.Hear(s.record.Epoch, 7, 2, true), "of no member")
	require.True(t, a.Hear(s.record.Epoch, 7, 1, false))
	require.True(t, b.Hear(s.record.Epoch, 7, 0, true))
	a.Step(0)
	b.Step(0)
	require.True(t, a.Started && b.Started)
	return s, a, b
}

// An epoch is at least the floor, and grows with each view.
func TestEpochs(t *testing.T) {
	s, a, _ := pair(t)
	assert.Equal(t, uint64(1001), s.record.Epoch)
	a.Leaving = true
	require.True(t, s.swap(a, 0))
	assert.True(t, a.Out)
	assert.Equal(t, uint64(1002), s.record.Epoch)
	assert.Equal(t, []view.Entry{{ID: "b", Counter: 1}}, s.record.Members)
}

// A member renews after a third of its lease; its guard ends before the lease does.
func TestLease(t *testing.T) {
	s, a, b := pair(t)
	assert.False(t, s.swap(a, 19*time.Second))
	require.True(t, a.Enter(19*time.Second))
	assert.Equal(t, 20*time.Second, a.Next())
	require.True(t, s.swap(a, 20*time.Second))
	assert.True(t, a.Valid(74*time.Second-1))
	assert.False(t, a.Valid(74*time.Second))

	s.show(b, 21*time.Second)
	for now := 30 * time.Second; s.swap(b, now); now += 20 * time.Second {
		if now > 84*time.Second {
			assert.Equal(t, -1, s.record.Rank("a"), "63 seconds after its counter was seen")
			break
		}
		assert.Equal(t, 0, s.record.Rank("a"), now)
	}
	a.Step(90 * time.Second)
	assert.True(t, a.Inside && a.Lost, "its user may go on for some time")
	a.Step(93 * time.Second)
	assert.False(t, a.Inside)
}

// A member that is asked to leave ends the guard of its user, and leaves when that has had the time to stop.
func TestAsk(t *testing.T) {
	s, a, b := pair(t)
	require.True(t, a.Enter(0))
	_, is := b.Ask("c", 0)
	assert.False(t, is, "it is no member")
	next, is := b.Ask("a", 0)
	require.True(t, is)
	s.set(b, next, 0)
	_, is = b.Ask("a", 0)
	assert.False(t, is, "it was asked")
	s.show(a, 0)
	assert.True(t, a.Lost && a.Leaving)
	_, wants := a.Propose(time.Second, 0, 0)
	assert.False(t, wants)
	a.Step(3 * time.Second)
	require.True(t, s.swap(a, 3*time.Second))
	assert.Equal(t, -1, s.record.Rank("a"))
}

func TestReset(t *testing.T) {
	s, a, _ := pair(t)
	a.Reset = true
	require.True(t, s.swap(a, 0))
	assert.Equal(t, uint64(1002), s.record.Epoch)
	assert.False(t, a.Started || a.Reset)
	assert.Len(t, s.record.Members, 2)
}

// A store that has forgotten the version is noticed once the lease is over: until then it may be that an older
// record is shown.
func TestForgotten(t *testing.T) {
	for _, version := range []uint64{1, 2} {
		_, a, _ := pair(t)
		require.True(t, a.Enter(0))
		a.Look(view.Record{Epoch: 1, Nonce: 9}, version, time.Second)
		assert.False(t, a.Out)
		a.Look(view.Record{Epoch: 1, Nonce: 9}, version, 54*time.Second)
		assert.True(t, a.Out && a.Lost, version)
	}
}

// A process with other terms cannot join before all members have left.
func TestAdmits(t *testing.T) {
	s, a, b := pair(t)
	other := terms
	other.Lease = time.Minute / 2
	require.EqualError(t, s.record.Admits(other), "its members have a lease of 1m0s, and this process has one of 30s")
	other.Protocol = "q"
	require.EqualError(t, s.record.Admits(other), "its members run p, and this process runs q")
	c := view.New("c", other)
	s.show(c, 0)
	assert.False(t, s.swap(c, 0))
	a.Leaving, b.Leaving = true, true
	require.True(t, s.swap(a, 0))
	s.show(b, 0)
	require.True(t, s.swap(b, 0))
	s.show(c, 0)
	assert.True(t, s.swap(c, 0))
	assert.Equal(t, other, s.record.Terms)
	assert.Equal(t, uint64(1004), s.record.Epoch)
}
