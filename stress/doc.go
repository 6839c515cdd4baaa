// Package stress runs stress tests of any [mutex.Mutex], and reports violations of
// mutual exclusion, fairness, bypasses, and the latency of Lock.
//
//	report, err := stress.Run(bakery.New(8), stress.Config{Duration: time.Second})
//	if err != nil {
//		log.Fatal(err) // an invalid config, a deadlock, a panic
//	}
//	fmt.Println(report)
//
// Every goroutine runs a closed loop: remainder section, Lock, critical section,
// Unlock. A goroutine that waits makes no other requests.
//
// # Fairness
//
// The share of a goroutine is its fraction of all entries. The Jain index,
// (Σx)² / (n Σx²), is 1 if all shares are equal and 1/n if one goroutine has all
// entries. Both are meaningful only in a run limited by Duration; in a run limited
// by Entries, all goroutines make the same number of attempts.
//
// # Latency
//
// Latency is the time from the call of Lock to its return. Entries through TryLock
// and LockContext are not included. The percentiles are those of a uniform sample of
// up to 131,072 calls (reservoir sampling, algorithm R); the maximum is that of all
// calls.
//
// A closed loop flatters unfair locks. A goroutine that waits for a second makes
// one slow call in that second, while favoured goroutines make a million fast ones,
// so p99 does not show it. In a service, requests would have kept arriving at the
// starved goroutine, and each would have been slow. (This is called coordinated
// omission.) So read the maximum and the least share along with the percentiles,
// and compare percentiles only between locks with similar shares.
//
// # Delays
//
// Most interleavings that break a lock need a process to be suspended for long
// between two particular accesses, which rarely happens by itself. In a build with
// the race detector or with the tag doorway_explore, [Config.Delay] suspends
// processes at random before accesses to registers. It mostly yields, which gives
// the others time for a few accesses; sleeps, which give them time to block, find
// far less. Goroutines also linger in their sections, because interleavings vary
// little when all of them always wait. Every broken lock in the tests of this
// package is found within some ten thousand entries; without delays some are not
// found in millions.
//
// # Limits
//
// A run cannot show that a lock is correct: it executes some interleavings, left to
// chance. A violation proves that the lock is wrong; the absence of violations
// proves nothing.
//
// Nor does it measure the cost of a lock: each entry reads the clock twice and looks
// at every goroutine. Package bench measures cost.
package stress

// How stress observes a lock.
//
// # Exclusion
//
// There are two checks, which fail differently.
//
// An atomic sum: a goroutine that enters adds one and its number, and subtracts
// both when it leaves, each with one atomic addition. If two are inside at any
// time, the later finds more than itself in the sum, whatever the two do next. So
// no overlap between the two additions is missed, and if there are two, the sum
// identifies the other. That entry is a violation.
//
// Plain data: a variable that is read when the critical section begins and
// written back, one larger, when it ends. If another goroutine was inside in
// between, an update is lost; and the race detector, if enabled, reports the
// variable.
//
// The atomic sum must not hide a fault of the lock. In the Go memory model, an
// atomic operation that observes the effect of another is synchronized after it.
// So a counter around plain data orders that data by itself, and a lock that
// excludes but lacks a happens-before edge would go unnoticed. Hence the order
// inside: first the plain read, then everything atomic or behind a mutex, last the
// plain write. That only orders the middles of two sections. The last write of one section and
// the first read of the next are ordered by the lock, or, for a goroutine that was
// already waiting when the section ended, by nothing. For the same reason, the
// random numbers of the delays are those of the runtime, which orders no goroutines.
//
// # Order
//
// Every call draws a number from a global counter, then publishes it, then calls
// the lock. A goroutine that enters reads the numbers of those that wait: it has
// bypassed each whose number is smaller. Nothing is counted that did not happen: a
// call that is counted as bypassed drew first and was still waiting. Bypasses of a
// call that is suspended between its draw and its publication are not counted, so
// the count is a lower bound, off by what happens within two instructions.
//
// The draw comes before the doorway, the part of the entry protocol that decides
// the order. A goroutine that is suspended between the two, or within the doorway,
// may legitimately be bypassed: by few as a rule, but if it loses its processor
// there, by all that enter in a time slice, which can be ten thousand. So for a
// lock that is FIFO from the doorway on, the mean is small, mostly less than 1, and
// the maximum reflects the scheduler. A lock without order has a mean of several.
// To prove an order, check the algorithm; the count shows its effect in practice.
