// Package natsengine has the members of a lock of package engine meet on NATS: core NATS carries
// their frames, and a JetStream key-value bucket has the record of the lock.
//
//	store, err := natsengine.Store(ctx, js, "locks", "orders")
//	lock, err := engine.Join(ctx, "orders", engine.Config{
//		Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: 10 * time.Second,
//	})
//
// # The connection
//
// It is the caller's: with TLS, credentials, and its handlers of errors. Use the same one for links and
// store, and [nats.MaxReconnects](-1): by default a connection is closed after 60 attempts to reconnect, and with it
// the lock, since a closed connection never comes back. Users do not notice a reconnect within half a lease. The time between two
// attempts is a part of that: with a lease of less than 10 s, set [nats.ReconnectWait], which is 2 s by default, to a
// tenth of it. Close the connection after [engine.Lock.Leave], which cannot hand over without it.
//
// A server that reads nothing blocks all who use a connection. Guards end in time all the same; the
// connection is given up after a minute, or after [nats.FlusherTimeout].
//
// # The bucket
//
// An operator makes it once, for any number of locks:
//
//	nats kv add locks --storage=file --replicas=3
//
// Its keys must not expire ([Store] refuses a bucket with a TTL); a history is of no use. With three replicas,
// one server and its disk may be lost. A single server acknowledges before its disk has the record: if
// the power of its machine may fail, set sync_interval: always in the jetstream section of its configuration.
//
// Members of a lock whose bucket cannot be reached go on until their leases end. Then no process
// enters until it can be reached. A bucket that is lost must be made again; members need no restart.
//
// A bucket that comes back without the record, or with an older one, breaks exclusion for up to a
// lease: members of before may be inside beside those of the new record. Tokens grow even then, so a resource that
// checks them, as package engine says, is safe.
//
// # Permissions
//
// For the lock "orders" in the bucket "locks", a process may publish to
//
//	doorway.orders.>
//	$KV.locks.orders
//	$JS.API.STREAM.INFO.KV_locks
//	$JS.API.DIRECT.GET.KV_locks.$KV.locks.orders
//	$JS.API.CONSUMER.CREATE.KV_locks.*.$KV.locks.orders
//	$JS.API.CONSUMER.DELETE.KV_locks.*
//	$JS.FC.>
//
// and subscribe to
//
//	doorway.orders.>
//	_INBOX.>
//
// [Store] and [engine.Join] return an error that names what is denied. Whoever may publish to the first two
// can disturb the lock. Letters, digits, - and _ of a name are as they are in a subject; so are dots between them. Other bytes are
// = and two hexadecimal digits: the lock "my orders" is my=20orders.
//
// # What to watch
//
//   - [engine.Stats]: Lost grows when guards end under users, Resets when messages are impossible, which they never should be; Wait
//     and Hold are times of users.
//   - Warnings of [engine.Config].Logger: the store does not answer, and why; the lock may be lost; a member, or this
//     process, was evicted. Lines at Info tell of views that begin, and name the members for which one waits.
//   - The connection: [nats.ErrorHandler] is told of a slow consumer (frames are lost, and sent again) and of permissions
//     that were taken away.
//   - The record: nats kv get locks orders --raw. The Counter of each member moves every third of the lease.
//
// # Members that are dead
//
// They are evicted when they have been silent for a lease: nothing needs to be done. One that lives and is
// not wanted is asked to leave by [engine.Lock.Evict] of any other member. If no process is left that could do that,
// the next that joins evicts the dead ones after a lease.
//
// The last resort, when all members are to begin anew, is nats kv del locks orders. They learn of it at once, end the contexts of
// their guards, and join again. One that cannot be reached at that moment may be inside for up to a
// lease, beside others: as if the bucket had lost the record.
package natsengine

import (
	"fmt"
	"strings"
	"time"
)

// patience is how long a server has to answer when something begins.
const patience = 5 * time.Second

func subject(inbox string) string { return "doorway." + escaped(inbox) }

// escaped makes a name of any bytes safe as a part of a subject, and as a key. Letters, digits, - and _ stay,
// and so do dots that separate parts; other bytes become = and two hexadecimal digits. Different names stay
// different.
func escaped(name string) string {
	if name == "" {
		return "="
	}
	var b strings.Builder
	stayed := 0 // up to here it is in b
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_',
			c == '.' && i > 0 && i < len(name)-1 && name[i-1] != '.':
		default:
			fmt.Fprintf(&b, "%s=%02X", name[stayed:i], c)
			stayed = i + 1
		}
	}
	if stayed == 0 {
		return name // most names: without memory
	}
	return b.String() + name[stayed:]
}

// longest is the length of a subject: a server closes a connection that sends it a line of more than 4096 bytes.
const longest = 1024

func short(name, escaped string) error {
	if len(escaped) > longest {
		return fmt.Errorf("natsengine: the name %.32q... has %d bytes in a subject: it must have at most %d", name, len(escaped), longest)
	}
	return nil
}
