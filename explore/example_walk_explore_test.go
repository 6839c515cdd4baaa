//go:build doorway_explore && doorway_variants

package explore_test

import (
	"fmt"

	"example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/mutex"
)

// Peterson's lock with two lines swapped, step by step, until both processes are inside.
func ExampleWalk() {
	walk, err := explore.Start(explore.Config{
		New: func(n int) mutex.Mutex {
			lock, err := catalog.Lock("peterson/turn-first", n)
			if err != nil {
				panic(err)
			}
			return lock
		},
		Processes: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := walk.Do(1, 0, 0, 0, 1, 1, 1); err != nil {
		fmt.Println(err)
		return
	}
	for i, p := range walk.Pending() {
		fmt.Printf("process %d, %s, can take %v; next: %s; awaits %q, holds: %t\n", i, p.Place.Phase, p.Steps, p.Place.Next, p.Awaits, p.Holds)
	}
	fmt.Println(walk.Do(1), walk.Err())
	if err := walk.Undo(2); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(walk.Do(0, 2), walk.Err())
	fmt.Println(walk.Trace().Schedule)
	// Output:
	// process 0, inside, can take [0]; next: want[0] := 0; awaits "", holds: false
	// process 1, waiting, can take [1]; next: await turn or want[0]; awaits "turn = 0, and it is 0, or want[0] = 0, and it is 1", holds: true
	// <nil> mutual exclusion fails: processes 0 and 1 are inside
	// explore: step 2, which is 2: there is no process 2: they are 0 and 1 <nil>
	// [1 0 0 0 1 1 0]
}
