package main

import (
	"fmt"
	"time"

	"example.org/doorway/internal/measure"
)

// hogRows returns a row for each lock, each number of hogs and each section: the
// longest wait behind hogs, beside that of sync.Mutex. A hog enters again and again,
// and sleeps in its section.
func hogRows() []row {
	var rows []row
	for _, lock := range []struct {
		name string
		goal goal
	}{{queue, atMost(1)}, {"lamportfast", atMost(2)}, {share("lamportfast"), atMost(2)}} {
		for _, hogs := range []int{1, 8} {
			for _, section := range []time.Duration{100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
				title := fmt.Sprintf("%s, longest wait behind %d that sleep inside for %.3g ms, / sync.Mutex's", lock.name, hogs, milliseconds(section))
				rows = append(rows, row{title, lock.goal, func(e effort) figure {
					limit := 100*time.Millisecond + 20*section
					longest := func(name string) func() float64 {
						return func() float64 { return measure.Behind(makerOf(name)(hogs+1), hogs, section, limit).Seconds() }
					}
					n := e.Windows/8 | 1
					r := measure.Compare(n, longest(lock.name), longest("sync.Mutex"))
					return figure{r.Ratio, perSeconds(r.A.Median, r.B.Median), pairs(n, limit)}
				}})
			}
		}
	}
	return rows
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
