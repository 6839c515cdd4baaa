// Package sqlfence has an SQL database refuse a holder of a lock once a later one has used it:
//
//	tx, err := db.BeginTx(g.Context(), nil)
//	defer tx.Rollback()
//	err = sqlfence.Check(g.Context(), tx, "orders", g) // the first statement
//	... // reads and writes
//	err = tx.Commit()
//
// A lock of several machines cannot stop a process that does not know that its lease is over, as it was stopped or
// waits for a slow disk. The database can: it keeps the largest fencing token of each resource, and [Check] refuses
// a smaller one.
//
// # What is promised
//
// The transactions of one resource that have called Check are serial, and in the order of their tokens. So no update
// is lost, whatever the store of the lock, clocks and networks do, if
//
//   - every transaction that reads or writes the resource calls Check, with the same name of the resource;
//   - Check is its first statement: what was read before may be old;
//   - one lock guards the resource, since tokens of two locks have no order.
//
// A guard may use several transactions. Each of them is fenced, and the next one is refused once a later guard has been
// there. What should happen as a whole belongs in one transaction.
//
// # Databases
//
// Create the table once, with [Schema]. The statements are of PostgreSQL since 9.5 and SQLite since 3.24: ON CONFLICT,
// and $1 for a parameter. MySQL has neither.
//
// In PostgreSQL, Check locks a row until the transaction ends, and the Check of a later transaction of the resource waits
// for that. Read committed, its default, suffices. At repeatable read and serializable, a Check that has
// waited fails with a serialization failure (40001) when the other has committed: roll back, and try again with the same
// guard while its context lasts. A read-only transaction cannot call Check.
//
// In SQLite, Check takes the write lock of the whole database, as BEGIN IMMEDIATE does. Set a busy_timeout:
// without one, a Check does not wait, and fails with SQLITE_BUSY.
//
// # A holder that was stopped in a transaction
//
// It keeps what its transaction has locked, while the lock is another's already. No update is lost: the later holder
// waits in Check. For how long is up to the database, and not to the lease. PostgreSQL ends such
// a session, and that of a machine that has crashed, after idle_in_transaction_session_timeout, which is off by
// default: set it to about a lease. In SQLite, the lock lasts until the process goes on or is killed.
package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"example.org/doorway/messaging"
)

// Schema creates the table of fences, unless there is one. In PostgreSQL, one of two processes that execute it at the same
// time may get an error.
const Schema = `CREATE TABLE IF NOT EXISTS doorway_fence (
	resource TEXT PRIMARY KEY,
	epoch BIGINT NOT NULL,
	count BIGINT NOT NULL,
	guard TEXT NOT NULL
)`

// ErrStale says that a token is smaller than the largest of its resource, or equal to that of another guard. The
// lock is lost: roll back, and do not try again with this guard.
var ErrStale = errors.New("sqlfence: stale token")

// A Guard is an entry to the critical section of a lock: a Guard of package engine, or what another process
// was told of it.
type Guard interface {
	// Token is larger than those of all earlier guards.
	Token() messaging.Token

	// ID tells apart two guards with equal tokens, which there may be if the store of the lock has forgotten a view.
	ID() string
}

// advance changes no row if the token is stale. It locks the row nevertheless.
const advance = `INSERT INTO doorway_fence AS seen (resource, epoch, count, guard) VALUES ($1, $2, $3, $4)
ON CONFLICT (resource) DO UPDATE SET epoch = excluded.epoch, count = excluded.count, guard = excluded.guard
WHERE (seen.epoch, seen.count) < (excluded.epoch, excluded.count)
OR (seen.epoch, seen.count, seen.guard) = (excluded.epoch, excluded.count, excluded.guard)`

// Check admits a transaction to a resource, of which it must be the first statement. It waits until every other
// transaction that was admitted to the resource has ended. It returns an error that is ErrStale if a later guard, or
// another with an equal token, was admitted in a transaction that has committed. Any other error is
// one of the database, and says nothing of the token. After an error, the transaction must be rolled back.
//
// If the transaction is rolled back, it is as if Check had not been called.
func Check(ctx context.Context, tx *sql.Tx, resource string, g Guard) error {
	token := g.Token()
	switch {
	case resource == "":
		return errors.New("sqlfence: the resource has no name")
	case token == messaging.Token{}:
		return fmt.Errorf("sqlfence: the guard %q has no token", g.ID())
	case token.Epoch > math.MaxInt64 || token.Count > math.MaxInt64:
		return fmt.Errorf("sqlfence: the token %v is too large: its parts are at most %d", token, int64(math.MaxInt64))
	}
	result, err := tx.ExecContext(ctx, advance, resource, int64(token.Epoch), int64(token.Count), g.ID())
	if err != nil {
		return fmt.Errorf("sqlfence: the fence of %q: %w", resource, err)
	}
	switch changed, err := result.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("sqlfence: the fence of %q: %w", resource, err)
	case changed == 0:
		return stale(ctx, tx, resource, g)
	}
	return nil
}

// stale returns the error of a token that is refused.
func stale(ctx context.Context, tx *sql.Tx, resource string, g Guard) error {
	var seen messaging.Token
	var id string
	row := tx.QueryRowContext(ctx, "SELECT epoch, count, guard FROM doorway_fence WHERE resource = $1", resource)
	if err := row.Scan(&seen.Epoch, &seen.Count, &id); err != nil {
		return fmt.Errorf("%w: %v of %q for %q", ErrStale, g.Token(), g.ID(), resource)
	}
	return fmt.Errorf("%w: %v of %q for %q, after %v of %q", ErrStale, g.Token(), g.ID(), resource, seen, id)
}
