package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/refusal"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
)

// repeat is how often a member says that it is ready, until an epoch has started: what it said may be lost.
func (l *Lock) repeat() time.Duration { return l.terms.Lease / 50 }

// settle does all that has become due. It is called after every event, with mu held.
func (l *Lock) settle() {
	now := l.now()
	l.m.Step(now)
	l.drop()
	if g := l.guard.Load(); g != nil {
		l.check(g, now)
	}
	if l.m.Leaving && l.closed == nil {
		l.log.Warn("this process was asked to leave")
		l.close(errAsked)
	}
	if l.m.Leaving && !l.m.Inside {
		l.poke()
	}
	l.start(now)
	l.want(now)
	l.arm()
}

// drop drops the node of a view that is over, before it can do anything: what it sends would be taken for a message of the
// present epoch.
func (l *Lock) drop() {
	if l.site != nil && (!l.m.Started || l.of != l.m.Record.Nonce) {
		l.site = nil
	}
}

// check ends the context of a guard that is lost, and leaves for a user that has had the time to stop.
func (l *Lock) check(g *Guard, now view.Time) {
	if g.ctx.Err() != nil { // see lapse
		l.m.Lose(now)
	}
	if l.m.Lost || !l.m.Inside {
		l.lose(g, ErrLost)
	}
	if !l.m.Inside {
		l.log.Warn("a user has not unlocked in time", "token", g.token, "for", now-g.since)
		l.leave(g)
	}
}

// lapse ends the context of a guard when the lease is over. It has a timer of its own, and does not wait for mu: that is held
// while frames are sent and lines are logged, and who does that may be blocked.
func (l *Lock) lapse() {
	if left := l.deadline() - l.now(); left > 0 {
		l.fuse.Reset(left)
	} else if g := l.guard.Load(); g != nil {
		g.cancel(ErrLost)
	}
}

// lose ends the context of a guard.
func (l *Lock) lose(g *Guard, why error) {
	g.cancel(why)
	if !g.lost {
		g.lost = true
		l.stats.Lost++
		l.log.Warn("the lock may be lost", "token", g.token, "why", context.Cause(g.ctx))
	}
}

// leave leaves the critical section for the user of a guard.
func (l *Lock) leave(g *Guard) {
	l.guard.Store(nil)
	l.m.Exit()
	g.cancel(context.Canceled)
	if g.limit != nil {
		g.limit.Stop()
	}
	count(&l.stats.Hold, l.now()-g.since)
	if l.site == g.site && l.site.Phase() == messaging.Inside {
		l.site.Release()
		l.flush()
	}
}

// start says that this member is ready, and makes a node when all are.
func (l *Lock) start(now view.Time) {
	m := l.m
	switch {
	case m.Rank < 0:
	case !m.Started && m.Ready.Has(messaging.ID(m.Rank)) && (l.saidOf != m.Record.Nonce || now >= l.said+l.repeat()):
		l.say(now)
	case m.Started && l.site == nil && !m.Reset:
		a, err := l.protocol.New(len(m.Record.Members))
		if err != nil {
			l.log.Error("there is no algorithm for this view", "members", len(m.Record.Members), "error", err)
			l.close(because(err))
			return
		}
		l.stats.Views++
		l.log.Info("a view begins", "epoch", m.Record.Epoch, "member", m.ID, "members", len(m.Record.Members))
		l.site = host.NewSite(a, messaging.Start{Self: messaging.ID(m.Rank), Nodes: len(m.Record.Members)}, nil)
		l.of = m.Record.Nonce
		l.site.Start()
		l.flush()
		for k := range m.Record.Members { // a member that lacks a READY starts by this
			l.send(k, started, 0, nil)
		}
	}
}

// say says that this member is ready. When a view has not begun for a lease, it logs once who has not said so.
func (l *Lock) say(now view.Time) {
	m := l.m
	if l.saidOf != m.Record.Nonce {
		l.saidOf, l.saidFirst, l.patient = m.Record.Nonce, now, true
	}
	l.said = now
	var missing []string
	for k, e := range m.Record.Members {
		l.send(k, ready, 0, nil)
		if !m.Ready.Has(messaging.ID(k)) {
			missing = append(missing, e.ID)
		}
	}
	if l.patient && now >= l.saidFirst+l.terms.Lease {
		l.patient = false
		l.log.Info("a view waits for members that are inside, or cannot be reached", "epoch", m.Record.Epoch, "members", missing)
	}
}

// want asks for a user that waits, and lets it in; or withdraws the request of those that have given up.
func (l *Lock) want(now view.Time) {
	for l.site != nil {
		waits := len(l.queue) > 0 && l.guard.Load() == nil && now < l.m.Deadline
		switch phase := l.site.Phase(); {
		case phase == messaging.Inside && l.guard.Load() != nil:
			return
		case phase == messaging.Inside && waits && l.m.Enter(now):
			l.admit(now)
		case phase == messaging.Inside:
			l.site.Release()
		case phase == messaging.Waiting && !waits:
			l.site.Withdraw()
		case phase != messaging.Waiting && waits:
			l.site.Request()
		default:
			return
		}
		l.flush()
	}
}

// admit gives a guard to the first that waits.
func (l *Lock) admit(now view.Time) {
	w := l.queue[0]
	l.queue = slices.Delete(l.queue, 0, 1)
	token := messaging.Token{Epoch: l.m.Record.Epoch, Count: l.site.Token().Count}
	g := &Guard{l: l, site: l.site, since: now, token: token, member: l.m.ID, nonce: l.m.Record.Nonce}
	g.ctx, g.cancel = context.WithCancelCause(context.WithoutCancel(w.ctx))
	if l.config.MaxHold > 0 {
		g.limit = time.AfterFunc(l.config.MaxHold, g.tooLong)
	}
	l.guard.Store(g)
	if l.now() >= l.deadline() { // to send has taken so long; and lapse did not see the guard
		g.cancel(ErrLost)
	}
	l.stats.Entries++
	count(&l.stats.Wait, now-w.since)
	w.granted <- g
}

func (g *Guard) tooLong() {
	l := g.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guard.Load() == g && g.ctx.Err() == nil {
		l.lose(g, ErrMaxHold)
		l.m.Lose(l.now())
		l.settle()
	}
}

// arm sets the timer to when something becomes due. What is overdue waits for the store. It reads the clock: to send may
// have taken some time.
func (l *Lock) arm() {
	now := l.now()
	wait := l.m.Next() - now
	if wait <= 0 {
		wait = l.terms.Lease / 50
	}
	switch {
	case l.m.Lost:
		wait = min(wait, l.m.Ended+l.terms.Grace-now)
	case l.m.Inside:
		wait = min(wait, l.m.Deadline-now)
	}
	if l.m.Rank >= 0 && !l.m.Started {
		wait = min(wait, l.repeat())
	}
	if at := now + wait; l.armed == 0 || at < l.armed { // or frames that come more often would put off what is overdue
		l.armed = at
		l.timer.Reset(wait)
	}
}

func (l *Lock) due() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.done:
		return
	default:
	}
	l.armed = 0
	if l.m.Next() <= l.now() {
		l.poke()
	}
	l.settle()
}

// flush carries out what the node has done.
func (l *Lock) flush() {
	site := l.site
	for _, s := range site.Sends {
		l.send(int(s.To), message, site.Entries(), s.Message)
	}
	for _, t := range site.Timers {
		time.AfterFunc(t.After, func() { l.expire(site, t.Message) })
	}
	for _, v := range site.Emits {
		switch v.(type) {
		case link.Full, messaging.Removed: // exclusion is not sure any more
			l.reset("a node has given up another", v)
		}
	}
	site.Done()
}

// expire gives a timer back to the node that has set it.
func (l *Lock) expire(site *host.Site, m messaging.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.site == site {
		l.deliver(l.m.Rank, m)
		l.settle()
	}
}

// deliver gives a message to the node. One that cannot be means that nodes are in no state of the algorithm any
// more: they are made anew.
func (l *Lock) deliver(from int, m messaging.Message) {
	defer func() {
		if r := recover(); r != nil {
			why, is := r.(*refusal.Error)
			if !is {
				panic(r)
			}
			l.reset("an impossible message", why)
		}
	}()
	l.site.Receive(messaging.ID(from), m)
	l.flush()
}

// reset begins another epoch with the same members. Until then there is no node.
func (l *Lock) reset(why string, v any) {
	l.log.Error(why, "what", v)
	l.stats.Resets++
	l.m.Reset, l.site = true, nil
	l.poke()
}

// Frames between members.
const (
	ready   = 'R' // the sender is ready for the epoch
	started = 'S' // it has started
	message = 'M' // it has started, and a message of its node follows
)

// send sends a frame to a member: its kind, the epoch, the nonce, the ranks of sender and receiver, and what of a
// message.
func (l *Lock) send(to int, kind byte, entries uint64, m messaging.Message) {
	if to == l.m.Rank {
		return
	}
	b := append(l.buffer[:0], kind)
	for _, v := range []uint64{l.m.Record.Epoch, l.m.Record.Nonce, uint64(l.m.Rank), uint64(to), entries} {
		b = binary.AppendUvarint(b, v)
	}
	if kind == message {
		b = l.codec.Append(b, m)
	}
	l.buffer = b
	l.stats.Sent++
	if err := l.config.Links.Send(l.inbox(l.m.Record.Members[to].ID), b); err != nil {
		l.log.Debug("a frame was not sent", "error", err) // as if it were lost
	}
}

var errFrame = errors.New("no frame of a member")

// A frame is what send sends.
type frame struct {
	kind                            byte
	epoch, nonce, from, to, entries uint64
	message                         messaging.Message
}

// decode decodes a frame of any bytes.
func (l *Lock) decode(b []byte) (f frame, err error) {
	if len(b) == 0 {
		return f, errFrame
	}
	f.kind, b = b[0], b[1:]
	for _, v := range []*uint64{&f.epoch, &f.nonce, &f.from, &f.to, &f.entries} {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return f, errFrame
		}
		*v, b = x, b[n:]
	}
	switch {
	case f.kind == message:
		f.message, err = l.codec.Decode(b)
		return f, err
	case f.kind != ready && f.kind != started || len(b) > 0:
		return f, errFrame
	}
	return f, nil
}

// isFor reports whether a frame is of another member to this one, if it is of the present epoch.
func (f *frame) isFor(m *view.Member) bool {
	return f.from < uint64(len(m.Record.Members)) && int(f.from) != m.Rank && f.to == uint64(m.Rank)
}

// receive takes a frame to an incarnation of this process.
func (l *Lock) receive(m *view.Member, b []byte) {
	f, err := l.decode(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Received++
	if l.m != m {
		return
	}
	if err != nil || !f.isFor(m) || !m.Hear(f.epoch, f.nonce, int(f.from), f.kind != ready) {
		l.stats.Dropped++
		if err == nil && f.epoch > m.Record.Epoch {
			l.poke() // the record has changed
		}
		return
	}
	l.settle()
	switch {
	case l.site == nil:
	case f.kind == message:
		l.site.Witness(f.entries)
		l.deliver(int(f.from), f.message)
		l.settle()
	case f.kind == ready:
		l.send(int(f.from), started, 0, nil)
	}
}
