package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.org/doorway/engine/internal/view"
)

// format is the version of the text of a record.
const format = 1

// A text is a record in the store: JSON, which operators can read.
type text struct {
	Doorway  int // the format
	Name     string
	Protocol string
	Lease    time.Duration
	Epoch    uint64
	Nonce    uint64
	Members  []view.Entry
}

func (l *Lock) encode(r view.Record) []byte {
	data, err := json.Marshal(text{format, l.name, r.Terms.Protocol, r.Terms.Lease, r.Epoch, r.Nonce, r.Members})
	if err != nil {
		panic(err) // there is nothing in it that has no JSON
	}
	return data
}

// decoded returns the record of a text, which may be empty.
func (l *Lock) decoded(data []byte) (view.Record, error) {
	if len(data) == 0 {
		return view.Record{}, nil
	}
	var t text
	switch err := json.Unmarshal(data, &t); {
	case err != nil || t.Doorway == 0:
		return view.Record{}, errors.New("engine: the store has a record that no lock has written")
	case t.Doorway != format:
		return view.Record{}, fmt.Errorf("engine: the record of the lock has format %d: this is format %d", t.Doorway, format)
	case t.Name != l.name:
		return view.Record{}, fmt.Errorf("engine: the store has the record of the lock %q", t.Name)
	}
	terms := view.Terms{Protocol: t.Protocol, Lease: t.Lease, Drift: t.Lease / 20, Grace: t.Lease / 20}
	return view.Record{Terms: terms, Epoch: t.Epoch, Nonce: t.Nonce, Members: t.Members}, nil
}

// poke has the record be looked at.
func (l *Lock) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// watch has the store tell of changes.
func (l *Lock) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if err := l.config.Store.Watch(ctx, l.poke); err != nil && ctx.Err() == nil {
			l.log.Debug("the store is not watched", "error", err)
		}
		pause(ctx, l.terms.Lease/10)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// run is the one goroutine that uses the store.
func (l *Lock) run(ctx context.Context) {
	defer l.end()
	for l.err == nil && ctx.Err() == nil {
		err := l.exchange(ctx)
		var wrong *fatal
		if errors.As(err, &wrong) {
			l.log.Error("the lock is closed", "error", wrong.error)
			l.err, l.broken = wrong.error, because(wrong.error)
			return
		}
		l.tell(ctx, err)
		switch {
		case err != nil:
			pause(ctx, l.terms.Lease/50)
			continue
		case l.isOut():
			l.err = l.again(ctx)
			continue
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
		}
	}
}

// tell logs that the store begins to fail, or answers again, and keeps why for Join. It logs another reason after
// a lease: a server that was away may come back without its bucket.
func (l *Lock) tell(ctx context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	switch {
	case ctx.Err() != nil: // no caller waits for an answer
		return
	case errors.Is(err, errBusy): // it answers
		l.log.Debug("the record was not swapped", "error", err)
		return
	case err == nil && l.told != "":
		l.log.Info("the store answers again")
		l.told = ""
	case err != nil && (l.told == "" || l.told != err.Error() && now >= l.toldAt+l.terms.Lease):
		l.log.Warn("the store does not answer", "error", err)
		l.told, l.toldAt = err.Error(), now
	}
	l.fails = err
}

// end closes the lock.
func (l *Lock) end() {
	l.stop()
	if l.err == nil {
		l.err = ErrClosed
	}
	l.mu.Lock()
	l.close(because(l.err))
	if g := l.guard.Load(); g != nil {
		l.lose(g, ErrLost)
	}
	l.m, l.site, l.asks = view.New(l.m.ID, l.terms), nil, nil // what still arrives is dropped
	l.timer.Stop()
	l.fuse.Stop()
	l.mu.Unlock()
	l.deaf() // which may wait for a frame that is being received
	close(l.done)
}

func (l *Lock) isOut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.m.Out || l.m.Leaving && l.m.Rank < 0
}

// again begins another life after an eviction, unless the process leaves. It pauses, since a store that keeps
// forgetting it would otherwise be written without end.
func (l *Lock) again(ctx context.Context) error {
	if l.guard.Load() != nil {
		pause(ctx, l.terms.Grace) // in which its user stops
		l.mu.Lock()
		l.settle()
		l.mu.Unlock()
	}
	for tried := 0; ; tried++ {
		if l.isLeaving() || ctx.Err() != nil {
			return ErrClosed
		}
		if tried == 0 {
			l.log.Warn("this process was evicted, and joins again")
		}
		pause(ctx, l.terms.Lease/50)
		deaf := l.deaf
		err := l.incarnate()
		if err == nil {
			deaf()
			return nil
		}
		if tried == 0 {
			l.log.Warn("this process cannot listen yet", "error", err)
		}
	}
}

func (l *Lock) isLeaving() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed != nil
}

// most is how many swaps are tried one after the other.
const most = 10

var errBusy = errors.New("others are always faster")

// exchange swaps the record if this member wants to, and otherwise loads it.
func (l *Lock) exchange(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.terms.Lease/4)
	defer cancel()
	loaded, same := false, false
	var refused error
	for range most {
		next, version, wants := l.proposal()
		switch {
		case wants:
			var got uint64
			if got, refused = l.config.Store.Swap(ctx, version, l.encode(next)); refused == nil {
				l.learn(next, got, true)
				loaded = true
				continue
			}
		case loaded:
			return nil
		}
		data, got, err := l.config.Store.Load(ctx)
		switch {
		case errors.Is(err, ErrClosed):
			return &fatal{err}
		case err != nil && refused != nil && err.Error() != refused.Error():
			return fmt.Errorf("a swap failed: %w, and then a load: %w", refused, err)
		case err != nil:
			return err
		}
		r, err := l.decoded(data)
		if err == nil {
			err = l.admitted(r)
		}
		if err != nil {
			return &fatal{err}
		}
		l.learn(r, got, false)
		loaded, same = true, got == version
	}
	if same && refused != nil { // no other was faster
		return fmt.Errorf("a swap failed: %w", refused)
	}
	return errBusy
}

// admitted returns an error if this process cannot be a member beside those of a record.
func (l *Lock) admitted(r view.Record) error {
	if err := r.Admits(l.terms); err != nil {
		return fmt.Errorf("engine: the lock %q: %w (if all of them have crashed, delete the record)", l.name, err)
	}
	if r.Rank(l.ID()) >= 0 {
		return nil
	}
	if _, err := l.config.Protocol.New(len(r.Members) + 1); err != nil {
		return fmt.Errorf("engine: the lock %q has %d members, and no algorithm for one more: %w", l.name, len(r.Members), err)
	}
	return nil
}

// A fatal error closes a lock.
type fatal struct{ error }

// proposal returns the record that this member wants in place of a version.
func (l *Lock) proposal() (next view.Record, version uint64, wants bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.asks) > 0 && !wants {
		next, wants = l.m.Ask(l.asks[0], l.now())
		l.asks = l.asks[1:]
	}
	if !wants {
		var random [8]byte
		_, _ = rand.Read(random[:])
		next, wants = l.m.Propose(l.now(), max(floor(time.Now()), l.newest+1), binary.LittleEndian.Uint64(random[:]))
	}
	return next, l.m.Version, wants
}

// floor is the least epoch of a view that begins now: a store that was wiped does not take tokens back. No
// store changes views as often as once in a microsecond, so epochs do not run ahead of it.
func floor(now time.Time) uint64 {
	return uint64(max(0, now.Sub(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()))
}

// learn takes note of the record, which may be one that this process has written.
func (l *Lock) learn(r view.Record, version uint64, own bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.m.Record
	l.m.Look(r, version, l.now())
	l.newest = max(l.newest, r.Epoch)
	l.until.Store(int64(l.m.Deadline))
	l.fuse.Reset(l.m.Deadline - l.now())
	for _, e := range before.Members {
		switch {
		case l.m.Rank < 0 || l.m.Record.Rank(e.ID) >= 0:
		case own:
			l.log.Warn("a member was silent for a lease, and is evicted", "member", e.ID)
		default:
			l.log.Info("a member has left, or another has evicted it", "member", e.ID)
		}
	}
	l.settle()
	if l.m.Rank >= 0 {
		l.once.Do(func() { close(l.joined) })
	}
}
