package test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/sqlfence"
)

// Two transactions at once, at each isolation level of PostgreSQL: the second waits in Check. At read committed it then
// sees what the first has written; above, the database has it try again.
func TestIsolation(t *testing.T) {
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
		t.Run(level.String(), func(t *testing.T) {
			db := onPostgres(t)
			first, second := begun(t, db.DB, level), begun(t, db.DB, level)
			require.NoError(t, first.check(entry(1, 1)))
			checked := make(chan error, 1)
			go func() { checked <- second.check(entry(1, 2)) }()
			blocked(t, db)
			first.write(first.read() + 1)
			first.commit()
			err := <-checked
			if level != sql.LevelReadCommitted {
				var failure *pgconn.PgError
				require.ErrorAs(t, err, &failure)
				require.Equal(t, "40001", failure.Code, "a serialization failure")
				require.NotErrorIs(t, err, sqlfence.ErrStale)
				require.NoError(t, second.Rollback())
				second = begun(t, db.DB, level)
				err = second.check(entry(1, 2))
			}
			require.NoError(t, err)
			second.write(second.read() + 1)
			second.commit()
			assert.Equal(t, 2, count(t, db))
		})
	}
}

// blocked returns when a session of the server waits for a lock.
func blocked(t *testing.T, db database) {
	t.Helper()
	require.Eventually(t, func() (is bool) {
		err := db.QueryRowContext(t.Context(), "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&is)
		return err == nil && is
	}, 30*time.Second, 5*time.Millisecond)
}

// A transaction that waits goes on if the other is rolled back, with a smaller token too; and is refused
// if the other has committed a larger one.
func TestSmallerWaits(t *testing.T) {
	for _, commits := range []bool{false, true} {
		db := onPostgres(t)
		larger, smaller := begun(t, db.DB, sql.LevelDefault), begun(t, db.DB, sql.LevelDefault)
		require.NoError(t, larger.check(entry(1, 2)))
		checked := make(chan error, 1)
		go func() { checked <- smaller.check(entry(1, 1)) }()
		blocked(t, db)
		if commits {
			larger.commit()
			require.ErrorIs(t, <-checked, sqlfence.ErrStale)
		} else {
			require.NoError(t, larger.Rollback())
			require.NoError(t, <-checked)
		}
	}
}

// Why Check is the first statement: what was read before it may be old. Here an update is lost, which the token of the
// later guard does not prevent.
func TestReadBeforeCheck(t *testing.T) {
	db := onPostgres(t)
	later := begun(t, db.DB, sql.LevelDefault)
	seen := later.read()
	require.NoError(t, increment(db.DB, entry(1, 1)))
	require.NoError(t, later.check(entry(1, 2)))
	later.write(seen + 1)
	later.commit()
	assert.Equal(t, 1, count(t, db), "of 2 that were acknowledged")
}

// PostgreSQL ends a session that is stopped in a transaction, so that the next need not wait for the process.
func TestIdle(t *testing.T) {
	db := onPostgres(t)
	stopped := begun(t, db.DB, sql.LevelDefault)
	require.NoError(t, stopped.check(entry(1, 1)))
	seen := stopped.read()
	_, err := stopped.Exec("SET idle_in_transaction_session_timeout = 100") // ms
	require.NoError(t, err)
	require.NoError(t, increment(db.DB, entry(1, 2)))
	_, err = stopped.Exec("UPDATE orders SET n = $1", seen+1)
	require.Error(t, err)
	require.Error(t, stopped.Commit())
	assert.Equal(t, 1, count(t, db))
}

// A read-only transaction cannot advance the fence.
func TestReadOnly(t *testing.T) {
	tx, err := onPostgres(t).BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	err = sqlfence.Check(t.Context(), tx, "orders", entry(1, 1))
	require.ErrorContains(t, err, "SQLSTATE 25006")
	require.NotErrorIs(t, err, sqlfence.ErrStale)
	require.NoError(t, tx.Rollback())
}
