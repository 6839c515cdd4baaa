// Package stress hammers any [mutex.Mutex] with goroutines, and reports whether
// it excluded, whom it favoured, who overtook whom, and how long Lock took.
//
//	report, err := stress.Run(bakery.New(8), stress.Config{Duration: time.Second})
//	if err != nil {
//		log.Fatal(err) // a config that makes no sense, a deadlock, a panic
//	}
//	fmt.Println(report)
//
// Every goroutine goes round and round: remainder section, Lock, critical
// section, Unlock. That is a closed loop: a goroutine that waits asks for
// nothing else.
//
// # Fairness
//
// The share of a goroutine is its entries over all entries. The Jain index,
// (Σx)² / (n Σx²), is 1 if all have the same and 1/n if one has everything. Both
// say something in a run of given Duration; a run of given Entries gives
// everybody as many.
//
// # Latency
//
// The latency of Lock is from the call to the return, of the calls that entered.
// Entries by way of TryLock and LockContext are not among them. Each goroutine
// keeps a uniform sample of its own calls of bounded size (reservoir sampling,
// algorithm R), and a sampled call stands for as many as were made for each one
// kept. The maximum is that of all calls, not of the sample.
//
// A closed loop flatters unfair locks. A goroutine that waits for a second
// makes one slow call in that second, while the favoured make a million quick
// ones: p99 does not see it. In a service, requests would have kept arriving at
// the starved goroutine all that time, and each would have been slow (this is
// called coordinated omission). So read the maximum and the least share along
// with the percentiles, and compare percentiles between locks of like shares.
//
// # Delays
//
// Most interleavings that break a lock need a process to be suspended between
// two particular accesses for long, which hardly happens by itself. In a build
// with the race detector or with the tag doorway_explore, [Config.Delay] suspends
// processes at random before accesses to registers. It
// mostly yields, so that the others make a few accesses meanwhile; sleeps, which
// leave them time to come to a standstill, find far less. Goroutines also
// linger in their sections, for with everybody always waiting there is little
// variety. Of the broken locks on which the package proves itself every one is
// found within some ten thousand entries; without delays some are not found in
// millions.
//
// # What it cannot show
//
// That a lock is correct. A run shows some interleavings, and luck decides
// which; a violation is proof, and the absence of one is none.
//
// Nor does it show the price of a lock: the clock is read twice an entry, and
// whoever enters looks at every goroutine. Package bench measures that.
package stress

// How it watches a lock.
//
// # Exclusion
//
// Two things are watched, and they fail differently.
//
// A word that adds up: who enters adds one and its number, who leaves takes
// both away, each with one atomic addition. If two are inside at any time, the
// later finds more than itself in the sum, whatever the two do next. So no
// overlap between the two additions is missed, and when there are two the sum
// says who the other is. That is an entry in violation.
//
// Plain data: a variable that is read when the critical section begins and
// written back, one larger, when it ends. If somebody else was inside in
// between, an update is lost; and the race detector, in a build that has it,
// reports the variable.
//
// The atomic word must not cover up for the lock. In the Go memory model an
// atomic operation that sees another's effect is synchronized after it, so a
// counter around plain data orders that data by itself, and a lock that
// excludes but forgets a happens-before edge would go unnoticed. Hence the order
// inside: first the plain read, then everything atomic, last the plain write.
// What the word orders are the middles of two sections. The last write of one
// section and the first read of the next are ordered by the lock, or, for a
// goroutine that was already waiting when the section ended, by nothing. So
// too for the delays: their random numbers come from a counter that the race
// detector is told to overlook.
//
// # Order
//
// Every call draws a number from a global counter, then makes it known, then
// calls the lock. Who enters looks at those that wait: it has bypassed each
// one whose number is smaller. Nobody is blamed for what did not happen: a call
// that was counted as bypassed had drawn first and was still waiting. A call
// that was suspended between its draw and its announcement is not held against
// those who enter meanwhile, so the count is a lower bound, off by what happens
// within two instructions.
//
// The draw comes before the doorway, the part of the entry protocol in which
// the order is decided. A goroutine that is suspended between the two, or
// within the doorway, is bypassed by rights: by few as a rule, but by all who
// enter in a time slice, which can be ten thousand, if it loses its processor
// just there. So of a lock that is first come, first served from the doorway on
// the mean is small, mostly less than 1, and the maximum says something of the
// scheduler. A lock without order has a mean of several. To prove an order,
// check the algorithm; this shows what the order is worth.
