//go:build doorway_explore

package mutex_test

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// Changes that make a Shared lose wake-ups, or might.
var changes = []variants.Change{
	{
		Name:  "give looks at the queue before it frees the process",
		File:  "admission.go",
		Shown: "undeclared: one process, two goroutines twice",
		Old:   "\ta.taken[i].Store(false)\n\tif a.queued.Load() == 0 {\n\t\treturn\n\t}\n",
		New:   "\tempty := a.queued.Load() == 0\n\ta.taken[i].Store(false)\n\tif empty {\n\t\treturn\n\t}\n",
	},
	{
		Name:  "a goroutine joins the queue and does not look for a process",
		File:  "admission.go",
		Shown: "undeclared: one process, two goroutines twice",
		Old:   "\ta.queued.Store(queued)\n\tasleep := a.serve()\n\ta.mu.Unlock()\n\tasleep.wake()\n",
		New:   "\ta.queued.Store(queued)\n\ta.mu.Unlock()\n",
	},
	{
		Name:  "a goroutine that finds no process lets no other be admitted",
		File:  "admission.go",
		Shown: "first come: one process, one of three goroutines tries",
		Old:   "\t\tif i, ok = a.free(); !ok {\n\t\t\ta.pass(nil)\n\t\t}\n",
		New:   "\t\tif i, ok = a.free(); !ok {\n\t\t\ta.entering.Store(false)\n\t\t}\n",
	},
	{
		Name:  "whoever has entered looks at the queue before it lets the next be admitted",
		File:  "admission.go",
		Shown: "first come: one process, two goroutines twice",
		Old:   "\t\t\ta.entering.Store(false)\n\t\t\tif a.queued.Load() == 0 || !",
		New:   "\t\t\tempty := a.queued.Load() == 0\n\t\t\ta.entering.Store(false)\n\t\t\tif empty || !",
		Right: "who joins the queue meanwhile is admitted when this goroutine leaves: later, and not never",
	},
	{
		Name:  "whoever finds no free process does not look again",
		File:  "admission.go",
		Shown: "first come: one process, ",
		Old:   "\t\tif !a.anyFree() || !a.entering.CompareAndSwap(false, true) {\n\t\t\treturn nil // whoever gives back the next sees that no goroutine is entering\n\t\t}\n",
		New:   "\t\treturn nil\n",
	},
	{
		Name:  "an entry that fails admits no other",
		File:  "admission.go",
		Shown: "first come: two processes, one of three goroutines fails",
		Old:   "\ta.give(i, nil)\n\ta.pass(w)\n",
		New:   "\ta.give(i, nil)\n",
	},
	{
		Name:  "in a crowd an entry that fails admits no other",
		File:  "admission.go",
		Shown: "first come, one is a crowd: two processes, one of three goroutines fails",
		Old:   "\ta.give(i, nil)\n\ta.pass(w)\n",
		New:   "\ta.give(i, nil)\n\ta.entered(w)\n",
	},
	{
		Name:  "in a crowd a goroutine that has not waited admits no other",
		File:  "admission.go",
		Shown: "first come, one is a crowd: one process, two goroutines twice",
		Old:   "\tif w != nil && a.order == firstCome && a.queued",
		New:   "\tif a.order == firstCome && a.queued",
	},
	{
		Name:  "in a crowd a goroutine that has entered lets others admit the next, and does so when it leaves",
		File:  "admission.go",
		Shown: "first come, one is a crowd: two processes, three goroutines, one twice",
		Old:   "\t\treturn w\n\t}\n\ta.pass(w)\n",
		New:   "\t\ta.entering.Store(false)\n\t\treturn w\n\t}\n\ta.pass(w)\n",
	},
	{
		Name:  "whoever finds the queue empty that was a crowd lets no other be admitted",
		File:  "admission.go",
		Shown: "first come, one is a crowd: one process, one gives up, and comes again",
		Old:   "\t\ta.taken[i].Store(false)\n\t\ta.entering.Store(false)\n",
		New:   "\t\ta.taken[i].Store(false)\n",
	},
	{
		Name:  "whoever finds the queue empty that was a crowd keeps its process",
		File:  "admission.go",
		Shown: "first come, one is a crowd: one process, one gives up, and comes again",
		Old:   "\t\ta.taken[i].Store(false)\n\t\ta.entering.Store(false)\n",
		New:   "\t\ta.entering.Store(false)\n",
	},
	{
		Name:  "whoever leaves a crowd lets others be admitted, and hands its process over",
		File:  "admission.go",
		Shown: "first come, one is a crowd: two processes, three goroutines, one twice",
		Old:   "\ta.mu.Lock()\n\ta.recycle(kept)\n",
		New:   "\ta.entering.Store(false)\n\ta.mu.Lock()\n\ta.recycle(kept)\n",
	},
	{
		Name:  "two are admitted at once",
		File:  "admission.go",
		Shown: "first come: two processes, three goroutines",
		Old:   "\t\tif !a.entering.Load() && a.entering.CompareAndSwap(false, true) {\n\t\t\tasleep = a.admit()\n\t\t}\n",
		New:   "\t\tasleep = a.admit()\n",
	},
	{
		Name:  "the first in the queue looks, and is then taken for looking still",
		File:  "admission.go",
		Shown: "barging, patient: one process, ",
		Old:   "\t\ta.looking.Store(false)\n\t\tw.state.CompareAndSwap(woken, waiting)\n\t\tasleep := a.serve()\n",
		New:   "\t\tw.state.CompareAndSwap(woken, waiting)\n\t\tasleep := a.serve()\n\t\ta.looking.Store(false)\n",
	},
	{
		Name:  "who gives up while it is woken wakes no other",
		File:  "admission.go",
		Shown: "barging, patient: one process, three goroutines, one gives up",
		Old:   "\t\tasleep = a.serve()\n\t}\n\ta.mu.Unlock()\n\tasleep.wake()\n\tif left {",
		New:   "\t}\n\ta.mu.Unlock()\n\tasleep.wake()\n\tif left {",
	},
	{
		Name:  "who gives up while it is woken is taken for looking still",
		File:  "admission.go",
		Shown: "barging, patient: one process, three goroutines, one gives up",
		Old:   "\t\ta.looking.Store(false)\n\t}\n\treturn true\n",
		New:   "\t}\n\treturn true\n",
	},
	{
		Name:  "who has lost its patience and leaves keeps others from barging",
		File:  "admission.go",
		Shown: "barging, impatient: one process, three goroutines",
		Old:   "\t\ta.starving.Store(a.starving.Load() && next != nil && time.Since(next.since)/4 >= a.patience)\n",
		New:   "\t\t_ = next\n",
		Right: "those who come queue, and are served in the order of the queue: slower, but none sleeps forever",
	},
	{
		Name:  "who gives up leaves its token to the next that waits in its place",
		File:  "admission.go",
		Shown: "barging, patient: one process, one gives up, and comes again",
		Old:   "\tif w.state.Load() != parked {\n\t\tw.token.Receive()\n\t}\n",
		New:   "",
	},
	{
		Name:  "a goroutine parks without saying so",
		File:  "admission.go",
		Shown: "undeclared: one process, two goroutines twice",
		Old:   "\tif !w.state.CompareAndSwap(waiting, parked) {\n\t\treturn true\n\t}\n",
		New:   "",
	},
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBrokenAdmissions(t *testing.T) {
	tier.NeedsFull(t, "compiles a copy of this package with each change")
	variants.Check(t, "admission_scenarios_explore_test.go", changes)
}
