package sim

import (
	"fmt"
	"io"
	"time"

	"example.org/doorway/internal/notation"
	"example.org/doorway/messaging"
)

// Trace returns a function for [Config.Observe] that writes each event to w as a
// line: the time in T, then the event. The nodes are S1 to Sn, as in the lectures; S1
// is node 0.
//
//	0       S3 asks
//	0       S3 sends REQUEST(1,S3) to S1
//	1       S1 gets REQUEST(1,S3) from S3
//
// Errors of w are ignored.
func Trace(w io.Writer) func(messaging.Event) {
	return func(e messaging.Event) { _, _ = fmt.Fprintf(w, "%-7s %s\n", inT(e.At), notation.Event(e)) }
}

func name(id messaging.ID) string { return notation.Node(id) }

func namesOf(ids []messaging.ID) []string {
	all := make([]string, len(ids))
	for k, id := range ids {
		all[k] = name(id)
	}
	return all
}

// inT returns d in units of T, with as many digits as necessary.
func inT(d time.Duration) string { return notation.Time(d) }
