package register_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/register"
)

func TestContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 1)
		var a, b register.Word
		var gate register.Word
		a.Store(5)
		for name, await := range map[string]func(p *register.Process) bool{
			"Await": func(p *register.Process) bool { return a.Await(p, never) },
			"AwaitEither": func(p *register.Process) bool {
				return register.AwaitEither(p, &a, never, &b, never)
			},
			"AwaitValue": func(p *register.Process) bool {
				v, ok := a.AwaitValue(p, never)
				return ok || v != 0
			},
			"Word.AwaitExclusive": func(p *register.Process) bool { return gate.AwaitExclusive(p, never) },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			begin := time.Now()
			err := ps.Context(ctx, 0, await)
			assert.ErrorIs(t, err, context.DeadlineExceeded, name)
			assert.Equal(t, time.Second, time.Since(begin), name)
			cancel()
			assert.False(t, ps.Try(0, await), "%s: Try entered though the condition does not hold", name)
			err = ps.Context(ctx, 0, func(*register.Process) bool { t.Error("ran though ctx was done"); return true })
			assert.ErrorIs(t, err, context.DeadlineExceeded, "%s: of a context that was done before", name)
		}
	})
}

// However many wait at a register, a process that aborts wakes none of them; and
// if all have aborted and wait elsewhere, each has at most one spurious wake-up.
func TestAbortWakesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		ps := register.MakeProcesses("test", n)
		var a, b, elsewhere register.Word
		var looks atomic.Int64
		looking := func(want uint64) func(uint64) bool {
			return func(v uint64) bool { looks.Add(1); return v == want }
		}
		first, cancelFirst := context.WithCancel(t.Context())
		all, cancel := context.WithCancel(t.Context())
		goOn := make(chan struct{})
		for i := range n {
			ctx := all
			if i == 0 {
				ctx = first
			}
			go func() {
				_ = ps.Context(ctx, i, func(p *register.Process) bool {
					return register.AwaitEither(p, &a, looking(1), &b, looking(1))
				})
				<-goOn
				elsewhere.Await(ps.Entry(i), looking(1))
			}()
			synctest.Wait()
		}
		before := looks.Load()
		cancelFirst() // the first in line
		synctest.Wait()
		cancel()
		synctest.Wait()
		assert.Equal(t, before, looks.Load(), "reads when nothing has been stored")
		close(goOn)
		synctest.Wait()
		assert.LessOrEqual(t, looks.Load()-before, int64((3+1)*n), "reads by %d processes, three of each to park elsewhere", n)
		elsewhere.Store(1)
	})
}
