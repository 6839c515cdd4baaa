package stress_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/stress"
)

// Eight processes of a bakery, and 24 goroutines that share them. The report also
// has what depends on the machine: fmt.Println(r) prints it.
func ExampleRun() {
	r, err := stress.Run(bakery.New(8), stress.Config{Entries: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Entries, "entries by", r.Goroutines, "processes:", r.Violations, "violations,", r.LostUpdates, "lost updates")

	r, err = stress.Run(bakery.New(8), stress.Config{Entries: 500, Goroutines: 24, Shared: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Entries, "entries by", r.Goroutines, "goroutines:", r.Violations, "violations,", r.LostUpdates, "lost updates")
	// Output:
	// 4000 entries by 8 processes: 0 violations, 0 lost updates
	// 12000 entries by 24 goroutines: 0 violations, 0 lost updates
}

// Three bookings of a tennis court: the second intersects with both others, which may be
// inside together. Exclusion is checked for those that intersect.
func ExampleConfig() {
	bookings := []intervals.Interval{{From: 10, To: 12}, {From: 11, To: 13}, {From: 12, To: 14}}
	c := cluster.New(len(bookings), intervals.New(bookings))
	defer c.Close()
	r, err := stress.Run(c, stress.Config{
		Entries:  500,
		Excludes: func(i, j int) bool { return bookings[i].From < bookings[j].To && bookings[j].From < bookings[i].To },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Entries, "entries:", r.Violations, "violations,", r.LostUpdates, "lost updates")
	// Output: 1500 entries: 0 violations, 0 lost updates
}

// An open door is a lock for two processes that does not exclude.
type openDoor struct{}

func (openDoor) Processes() int { return 2 }
func (openDoor) Lock(int)       {}
func (openDoor) Unlock(int)     {}

// A lock that does not exclude. The Section has the two meet inside, so that the
// example shows the same every time; sooner or later they would meet without it.
func ExampleReport_Err() {
	table := make(chan string)
	meet := func() {
		select {
		case table <- "hello":
		case <-table:
		}
	}
	r, err := stress.Run(openDoor{}, stress.Config{Entries: 1, Section: meet, Atomic: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	what, _, _ := strings.Cut(r.Err().Error(), ", first when") // and then which goroutines, and after how long
	fmt.Println(what)
	fmt.Println("inside when the second entered:", len(r.FirstViolation.Inside))
	fmt.Println(r.LostUpdates, "update of guarded data lost")
	// Output:
	// stress: mutual exclusion violated by 1 of 2 entries
	// inside when the second entered: 1
	// 1 update of guarded data lost
}

// A forgetful lock is a channel of capacity one, which is full while a process is
// inside. Its Unlock does nothing.
type forgetful chan struct{}

func (forgetful) Processes() int { return 1 }
func (f forgetful) Lock(int)     { f <- struct{}{} }
func (forgetful) Unlock(int)     {}

// A deadlock. The error shows which goroutine waits, for which, since when, and at
// which line.
func ExampleRun_deadlock() {
	_, err := stress.Run(make(forgetful, 1), stress.Config{Watchdog: 500 * time.Millisecond})
	fmt.Println(errors.Is(err, stress.ErrStuck))
	_, waits, _ := strings.Cut(err.Error(), "\n")
	changing := regexp.MustCompile(`\S+ ago|\d+\)$`)
	fmt.Println(changing.ReplaceAllString(waits, "…"))
	// Output:
	// true
	//   no goroutine is inside
	//   goroutine 0 (process 0) waits in Lock since call 2, …, bypassed by 0
	//   goroutine 0 at
	//     stress_test.forgetful.Lock (example_test.go:…
}
