// Package test has only tests: of package sqlfence, on SQLite and on PostgreSQL. It is a module of its own, since users of
// the library need none of their drivers.
package test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite" // the driver sqlite

	"example.org/doorway/engine/sqlfence"
	"example.org/doorway/messaging"
)

// server is the PostgreSQL of all tests.
var server *cluster

func TestMain(m *testing.M) {
	var err error
	if server, err = start(); err != nil {
		fmt.Fprintln(os.Stderr, "PostgreSQL does not start:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := server.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "PostgreSQL does not stop:", err)
			code = 1
		}
		os.Exit(code)
	}))
}

// A database is where a test keeps a counter, whose fence is that of "orders".
type database struct {
	*sql.DB

	// hasty does not wait for a lock: its statement fails with the error busy.
	hasty *sql.DB
	busy  string
}

// onEach runs a test with an empty database of each system.
func onEach(t *testing.T, f func(t *testing.T, db database)) {
	t.Helper()
	for _, journal := range []string{"delete", "wal"} {
		t.Run("SQLite "+journal, func(t *testing.T) { f(t, onSQLite(t, journal)) })
	}
	t.Run("PostgreSQL", func(t *testing.T) { f(t, onPostgres(t)) })
}

func onSQLite(t *testing.T, journal string) database {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.db")
	with := func(timeout string) *sql.DB {
		return opened(t, "sqlite", "file:"+file+"?_pragma=busy_timeout("+timeout+")&_pragma=journal_mode("+journal+")")
	}
	return created(t, database{with("30000"), with("0"), "SQLITE_BUSY"})
}

func onPostgres(t *testing.T) database {
	t.Helper()
	v := url.Values{"host": {server.dir}, "user": {superuser}, "search_path": {server.schema(t)}}
	patient := opened(t, "pgx", "postgres:///postgres?"+v.Encode())
	v.Set("lock_timeout", "1")
	return created(t, database{patient, opened(t, "pgx", "postgres:///postgres?"+v.Encode()), "SQLSTATE 55P03"})
}

func opened(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// created has the tables made. The schema may be executed again.
func created(t *testing.T, db database) database {
	t.Helper()
	for _, statement := range []string{sqlfence.Schema, sqlfence.Schema, "CREATE TABLE orders (n BIGINT)", "INSERT INTO orders VALUES (0)"} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	return db
}

// A guard is what a process was told of one.
type guard struct {
	token messaging.Token
	id    string
}

func (g guard) Token() messaging.Token { return g.token }

func (g guard) ID() string { return g.id }

// An entry is a guard with this token.
func entry(epoch, count uint64) guard {
	return guard{messaging.Token{Epoch: epoch, Count: count}, "one"}
}

// A transaction ends with its test, if it has not ended before.
type transaction struct {
	*sql.Tx
	t *testing.T
}

func begun(t *testing.T, db *sql.DB, level sql.IsolationLevel) transaction {
	t.Helper()
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return transaction{tx, t}
}

func (tx transaction) check(g sqlfence.Guard) error {
	return sqlfence.Check(context.Background(), tx.Tx, "orders", g)
}

func (tx transaction) read() (n int) {
	tx.t.Helper()
	require.NoError(tx.t, tx.QueryRow("SELECT n FROM orders").Scan(&n))
	return n
}

func (tx transaction) write(n int) {
	tx.t.Helper()
	_, err := tx.Exec("UPDATE orders SET n = $1", n)
	require.NoError(tx.t, err)
}

func (tx transaction) commit() {
	tx.t.Helper()
	require.NoError(tx.t, tx.Commit())
}

// count returns the counter.
func count(t *testing.T, db database) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT n FROM orders").Scan(&n))
	return n
}
