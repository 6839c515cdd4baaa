package view_test

import (
	"slices"
	"testing"

	"example.org/doorway/engine/internal/view"
)

// A loss is what a store forgets, once, although it has acknowledged it. Its versions go
// on from the older record, so that another record may get one that a process knows already.
type loss uint8

const (
	nothing  loss = iota
	older         // nothing, but it may give the record before the last
	aRenewal      // of a lease
	aView
	all // it is wiped
)

// fresh is more than any epoch or nonce in a packed world.
const fresh = 100

// far is by how much the version that a process knows is above all that a store will reach that was wiped: in a
// packed world, 2 or more is as far.
const far = 5

// unsafe reports whether two users may be inside at a time, by what this library does not promise.
func (c *model) unsafe() bool { return c.wild || c.forgets > older }

// fresh returns the floor of epochs and the nonce with which a view is proposed in place of a record.
func (c *model) fresh(r view.Record) (floor, nonce uint64) {
	switch {
	case c.forgets == nothing:
		return 0, r.Epoch + 1
	case c.reuses:
		return 0, fresh
	}
	return fresh, fresh
}

// swapped has the store replace its record, and keep the one before if that may come back.
func (w *world) swapped(next view.Record) {
	renews := w.Store.Epoch == next.Epoch
	w.Before = view.Record{}
	if !w.Forgot && (w.c.forgets == older || w.c.forgets == aRenewal && renews || w.c.forgets == aView && !renews) {
		w.Before = w.Store
	}
	w.Store = next
	w.Version++
}

// loses has the store forget.
func (x *mover) loses() {
	w, kind := x.w, x.c.forgets
	switch {
	case w.Forgot:
	case kind == all:
		x.wiped(far)
		// All processes that know a version know the last: then it may come again.
		if !slices.ContainsFunc(w.Procs[:], func(p process) bool { return p.M.Version > 0 && p.M.Version < w.Version }) {
			x.wiped(1)
		}
	case kind != older && w.Before.Epoch > 0:
		to := x.copied()
		to.Store, to.Before, to.Forgot = w.Before, view.Record{}, true
		to.Version--
		x.do(x.may, "the store forgets the last swap", to)
	}
}

// wiped has the store begin anew; the versions that processes know are above.
func (x *mover) wiped(above uint64) {
	to := x.copied()
	to.Store, to.Forgot, to.Version = view.Record{}, true, 0
	for i := range to.Procs {
		if v := &to.Procs[i].M.Version; *v > 0 {
			*v = above
		}
	}
	x.do(x.may, "the store is wiped", to)
}

func (p *packer) version(v uint64) byte {
	switch {
	case v == 0:
		return 0
	case v < p.w.Version:
		return 1
	}
	return byte(min(v-p.w.Version, 2) + 2)
}

// nonced appends the number of a nonce, if it is not that of the epoch.
func (p *packer) nonced(nonce uint64) []byte {
	if !p.c.reuses {
		return p.b
	}
	return append(p.b, p.nonce(nonce))
}

func (p *packer) nonce(nonce uint64) byte {
	return byte(slices.Index(p.nonces, nonce) + 1)
}

func (u *unpacker) nonce(epoch uint64) uint64 {
	if !u.c.reuses {
		return epoch
	}
	return uint64(u.next())
}

func (u *unpacker) forgetful() {
	u.w.Forgot = u.next() == 1
	u.w.Before = u.record()
	if u.w.Store.Epoch == 0 {
		u.w.Version = 0
	}
}

// What a lock alone promises needs a store that forgets nothing: otherwise two users are inside.
func TestForgetfulStore(t *testing.T) {
	found(t, map[*model]int{
		{name: "a renewal", lease: 2, members: 2, atomic: true, forgets: aRenewal}: 8,
		{name: "a view", lease: 2, members: 2, atomic: true, forgets: aView}:       8,
		{name: "all", lease: 2, members: 1, joins: 1, atomic: true, forgets: all}:  5,
	})
}

// A fence needs epochs of which no two views have the same, also when the store has forgotten one.
func TestEpochsUsedAgain(t *testing.T) {
	found(t, map[*model]int{{name: "all", lease: 1, members: 1, joins: 1, atomic: true, fence: byTokens, forgets: all, reuses: true}: 9})
}
