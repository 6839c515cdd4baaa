package sqlfence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"time"

	"example.org/doorway/engine"
	"example.org/doorway/engine/sqlfence"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A service numbers its invoices. Its processes share a lock; the database refuses one whose lock is another's.
func Example() {
	ctx := context.Background()
	db, err := sql.Open("pgx", "postgres:///shop") // with _ "github.com/jackc/pgx/v5/stdlib", or another driver
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.ExecContext(ctx, sqlfence.Schema); err != nil {
		log.Fatal(err)
	}
	links, store := engine.Memory() // on several machines, those of a server
	lock, err := engine.Join(ctx, "invoices", engine.Config{
		Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 10 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}

	guard, err := lock.Lock(ctx)
	if err != nil {
		log.Fatal(err)
	}
	switch number, err := next(guard.Context(), db, guard); {
	case errors.Is(err, sqlfence.ErrStale):
		log.Print("this process was stopped, and another went on: ", err)
	case err != nil:
		log.Print(err)
	default:
		fmt.Println("invoice", number)
	}
	_ = guard.Unlock() // what was committed counts, even if the lock is lost by now
	if err := lock.Leave(ctx); err != nil {
		log.Print(err)
	}
}

// next takes the next number.
func next(ctx context.Context, db *sql.DB, guard *engine.Guard) (number int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // unless it was committed
	if err := sqlfence.Check(ctx, tx, "invoices", guard); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT number FROM invoices").Scan(&number); err != nil {
		return 0, err
	}
	number++
	if _, err := tx.ExecContext(ctx, "UPDATE invoices SET number = $1", number); err != nil {
		return 0, err
	}
	return number, tx.Commit()
}
