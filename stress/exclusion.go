package stress

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// A resource is what the lock protects: one for all goroutines, or, if Config.Excludes is
// set, one for each two that exclude each other.
type resource struct {
	guarded guarded
	inside  occupancy
}

// share gives each worker its resources.
func (r *run) share(workers []*worker) {
	if r.c.Excludes == nil {
		common := new(resource)
		for _, w := range workers {
			w.give(common)
		}
		return
	}
	for i, v := range workers {
		for j, w := range workers[:i] {
			if r.c.Excludes(j, i) {
				common := new(resource)
				v.give(common)
				w.give(common)
			}
		}
	}
}

func (w *worker) give(x *resource) {
	w.resources = append(w.resources, x)
	w.seen = append(w.seen, 0)
}

// An occupancy has the number of goroutines that are inside in the upper half of a
// word, and the sum of their numbers plus one in the lower half.
type occupancy struct{ sum atomic.Uint64 }

func weight(k int) uint64 { return 1<<32 + uint64(k) + 1 }

// enter returns the sum of those inside other than k.
func (o *occupancy) enter(k int) (others uint64) { return o.sum.Add(weight(k)) - weight(k) }

func (o *occupancy) leave(k int) { o.sum.Add(-weight(k)) }

// enterResources records a violation unless the goroutine is alone in each of its
// resources.
func (w *worker) enterResources() {
	alone := true
	var others []int
	for _, x := range w.resources {
		if sum := x.inside.enter(w.k); sum != 0 {
			alone = false
			others = append(others, w.r.othersInside(w.k, sum)...)
		}
	}
	if alone {
		return
	}
	r := w.r
	if r.first.Load() == nil {
		r.first.CompareAndSwap(nil, &violation{Entered: w.k, Inside: others, Call: w.state.calls.Load(), After: r.now()})
	}
	r.violations.Add(1) // after it: a reader that sees one finds the first
	if r.c.UntilViolation {
		r.stop.Store(true)
	}
}

// othersInside returns the goroutines besides k that make up the sum of others. A
// sum of one identifies it; of more, it returns those that have not left meanwhile.
func (r *run) othersInside(k int, others uint64) []int {
	if others>>32 == 1 {
		return []int{int(others&(1<<32-1)) - 1}
	}
	var who []int
	for j := range r.states {
		if p, _ := r.states[j].get(); j != k && p == inside {
			who = append(who, j)
		}
	}
	return who
}

// A violation is what Report.FirstViolation points to.
type violation = struct {
	Entered int           `json:"entered"`
	Inside  []int         `json:"inside"`
	Call    uint64        `json:"call"`
	After   time.Duration `json:"after_ns"`
}

// violationText returns, for example, "goroutine 2 entered (its call 17, after 1.2ms)
// while goroutine 0 was inside".
func violationText(v *violation) string {
	return fmt.Sprintf("goroutine %d entered (its call %d, after %v) while %s inside",
		v.Entered, v.Call, round(v.After), wasOrWere(v.Inside))
}

func wasOrWere(who []int) string {
	switch len(who) {
	case 0:
		return "others were"
	case 1:
		return fmt.Sprintf("goroutine %d was", who[0])
	default:
		return goroutines(who) + " were"
	}
}

// goroutines returns "goroutine 1", or "goroutines 1, 2, 3", or, of many, the
// first.
func goroutines(who []int) string { return numbered("goroutine", "goroutines", who) }

func numbered(one, many string, who []int) string {
	const most = 8
	if len(who) == 1 {
		return fmt.Sprintf("%s %d", one, who[0])
	}
	if len(who) > most {
		return fmt.Sprintf("%s %s and %d more", many, list(who[:most]), len(who)-most)
	}
	return many + " " + list(who)
}

func list(who []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(who), " ", ", "), "[]")
}

// A guarded is the data that the lock protects: plain, so that the race detector
// sees it, or atomic, so that it does not.
type guarded struct {
	plain  uint64
	atomic atomic.Uint64
}

func (g *guarded) read(atomic bool) uint64 {
	if atomic {
		return g.atomic.Load()
	}
	return g.plain
}

func (g *guarded) write(v uint64, atomic bool) {
	if atomic {
		g.atomic.Store(v)
		return
	}
	g.plain = v
}
