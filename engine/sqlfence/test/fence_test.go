package test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/engine/sqlfence"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// joined returns so many members of a lock.
func joined(t *testing.T, n int, c engine.Config) (all []*engine.Lock) {
	t.Helper()
	c.Links, c.Store = engine.Memory()
	c.Protocol = ricartagrawala.Protocol
	for range n {
		l, err := engine.Join(t.Context(), "orders", c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Leave(context.Background())) })
		all = append(all, l)
	}
	return all
}

func locked(t *testing.T, l *engine.Lock) *engine.Guard {
	t.Helper()
	g, err := l.Lock(t.Context())
	require.NoError(t, err)
	return g
}

// lost returns the guard of a member that was evicted, and that of another that is inside now.
func lost(t *testing.T, inside func(*engine.Guard)) (old, next *engine.Guard) {
	t.Helper()
	all := joined(t, 2, engine.Config{Lease: 2 * time.Second})
	old = locked(t, all[0])
	inside(old)
	require.NoError(t, all[1].Evict(t.Context(), all[0].ID()))
	<-old.Context().Done()
	next = locked(t, all[1])
	t.Cleanup(func() { _ = next.Unlock() })
	return old, next
}

// A holder has read, and is stopped. When it goes on, its guard has ended, and another has incremented the
// counter. Without the fence, that update is lost although both were acknowledged.
func TestLostUpdate(t *testing.T) {
	unfenced := func(transaction, *engine.Guard) error { return nil }
	t.Run("unfenced", func(t *testing.T) {
		onEach(t, func(t *testing.T, db database) {
			assert.Equal(t, 2, goesOn(t, db, unfenced), "acknowledged")
			assert.Equal(t, 1, count(t, db), "counted")
		})
	})
	fenced := func(tx transaction, g *engine.Guard) error { return tx.check(g) }
	t.Run("fenced", func(t *testing.T) {
		onEach(t, func(t *testing.T, db database) {
			assert.Equal(t, 1, goesOn(t, db, fenced), "acknowledged")
			assert.Equal(t, 1, count(t, db), "counted")
		})
	})
}

// goesOn returns how many increments were acknowledged: that of the next holder, and that of the one before, unless
// a check of its transaction has refused it.
func goesOn(t *testing.T, db database, check func(transaction, *engine.Guard) error) (acknowledged int) {
	t.Helper()
	seen := 0
	old, next := lost(t, func(g *engine.Guard) {
		tx := begun(t, db.DB, sql.LevelDefault)
		require.NoError(t, check(tx, g))
		seen = tx.read()
		tx.commit()
	})

	tx := begun(t, db.DB, sql.LevelDefault)
	require.NoError(t, check(tx, next))
	tx.write(tx.read() + 1)
	tx.commit()
	acknowledged++
	_ = next.Unlock()
	require.ErrorIs(t, old.Unlock(), engine.ErrLost)
	tx = begun(t, db.DB, sql.LevelDefault)
	if err := check(tx, old); err != nil {
		require.ErrorIs(t, err, sqlfence.ErrStale)
		return acknowledged
	}
	tx.write(seen + 1)
	tx.commit()
	return acknowledged + 1
}

// A holder is stopped in its transaction. The next waits for the lock of the database, though that of the machines is
// its own; no update is lost.
func TestStoppedInside(t *testing.T) {
	onEach(t, func(t *testing.T, db database) {
		stopped := begun(t, db.DB, sql.LevelDefault)
		seen := 0
		_, next := lost(t, func(g *engine.Guard) {
			require.NoError(t, stopped.check(g))
			seen = stopped.read()
		})

		tx := begun(t, db.hasty, sql.LevelDefault)
		require.ErrorContains(t, tx.check(next), db.busy)
		require.NoError(t, tx.Rollback())

		stopped.write(seen + 1)
		stopped.commit()
		require.NoError(t, increment(db.DB, next))
		assert.Equal(t, 2, count(t, db))
	})
}

// What was rolled back was not seen.
func TestRollback(t *testing.T) {
	onEach(t, func(t *testing.T, db database) {
		require.NoError(t, increment(db.DB, entry(1, 1)))
		tx := begun(t, db.DB, sql.LevelDefault)
		require.NoError(t, tx.check(entry(1, 3)))
		tx.write(100)
		require.NoError(t, tx.Rollback())
		require.NoError(t, increment(db.DB, entry(1, 2)))
		require.NoError(t, increment(db.DB, entry(1, 3)))
		assert.Equal(t, 3, count(t, db))
	})
}

// Tokens are compared by their epoch, then by their count. A guard may check as often as it likes; another with an
// equal token is refused, and so is each that comes after a larger one.
func TestTokens(t *testing.T) {
	another := func(g guard) guard { return guard{g.token, "another"} }
	const most = 1<<63 - 1
	onEach(t, func(t *testing.T, db database) {
		for _, c := range []struct {
			guard guard
			stale bool
		}{
			{guard: entry(1, 9)},
			{guard: entry(1, 9)},
			{another(entry(1, 9)), true},
			{entry(1, 8), true},
			{guard: another(entry(1, 10))},
			{entry(1, 9), true},
			{guard: entry(2, 1)},
			{another(entry(1, 10)), true},
			{entry(1, 11), true},
			{guard: entry(2, 1)},
			{guard: entry(most, most)},
			{another(entry(most, most)), true},
		} {
			tx := begun(t, db.DB, sql.LevelDefault)
			err := tx.check(c.guard)
			if c.stale {
				require.ErrorIs(t, err, sqlfence.ErrStale, "%v", c.guard)
				require.NoError(t, tx.Rollback())
				continue
			}
			require.NoError(t, err, "%v", c.guard)
			require.NoError(t, tx.check(c.guard), "again in its transaction")
			require.NoError(t, sqlfence.Check(t.Context(), tx.Tx, "another resource", entry(7, 7)))
			tx.commit()
		}
		tx := begun(t, db.DB, sql.LevelDefault)
		require.EqualError(t, sqlfence.Check(t.Context(), tx.Tx, "another resource", entry(1, 2)),
			`sqlfence: stale token: 1.2 of "one" for "another resource", after 7.7 of "one"`)
	})
}

// Users of three machines are stopped for a while, many for longer than they may hold the lock, and do not look: what was
// acknowledged was counted.
func TestContend(t *testing.T) {
	onEach(t, func(t *testing.T, db database) {
		all := joined(t, 3, engine.Config{Lease: 200 * time.Millisecond, MaxHold: 10 * time.Millisecond})
		var acknowledged, refused atomic.Int64
		var users sync.WaitGroup
		for k := range 6 {
			users.Go(func() {
				for range 10 {
					g, err := all[k%len(all)].Lock(t.Context())
					if !assert.NoError(t, err) {
						return
					}
					time.Sleep(rand.N(40 * time.Millisecond))
					switch err := increment(db.DB, g); {
					case err == nil:
						acknowledged.Add(1)
					case assert.ErrorIs(t, err, sqlfence.ErrStale):
						refused.Add(1)
					}
					_ = g.Unlock()
				}
			})
		}
		users.Wait()
		assert.EqualValues(t, acknowledged.Load(), count(t, db))
		t.Logf("acknowledged %d, refused %d", acknowledged.Load(), refused.Load())
	})
}

// increment is what a user does with its guard.
func increment(db *sql.DB, g sqlfence.Guard) error {
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := sqlfence.Check(ctx, tx, "orders", g); err != nil {
		return err
	}
	var n int
	if err := tx.QueryRow("SELECT n FROM orders").Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE orders SET n = $1", n+1); err != nil {
		return err
	}
	return tx.Commit()
}
