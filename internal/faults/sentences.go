package faults

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
)

// A Sentence is one of a lecture about faults.
type Sentence struct {
	Lecture, Says string

	Protocol string
	Faults   []string
	want     func(c Cell) bool // what it says of each of them
	But      string            // why the computed verdicts differ; "" if they do not
}

// Sentences are those of the lectures, in their order.
var Sentences = []Sentence{
	{"Reiser 5.8", "once any node has crashed, no node can enter", "lamport", crashes, blocksAll, ""},
	{"Reiser 5.42", "nodes that have sent requests must not crash", "suzukikasami", crashes[1:2], blocks, ""},
	{"Reiser 5.42", "nor must the node that has the token", "suzukikasami", []string{"crash, idle", "crash, inside"}, blocks, ""},
	{"Reiser, Raymond", "the path from a requester to the token must be up", "raymond", crashes, blocks, ""},
	{"HAW 18", "a client that crashes inside, or loss, can cause a deadlock", "central", []string{"crash, inside", "loss"}, blocks, ""},
	{"HAW 23", "if a process with a queue crashes, the system stops", "ricartagrawala", crashes[1:], blocksAll, ""},
	{"HAW 26", "the crash of a client that neither has the token nor asks for it is tolerated", "central", crashes[:1], onlyNode0, ""},
	{"HAW 26", "crashes are tolerated with a request-reply protocol", "ricartagrawala-acknowledged", crashes, Cell.Survives, ""},
	{"HAW 26", "no process of the token ring may crash", "tokenring", crashes, blocksAll, ""},
	{"HAW 26", "none of the algorithms tolerates loss", "central", loss, blocks, ""},
	{"HAW 26", "none of the algorithms tolerates loss", "ricartagrawala", loss, blocks, ""},
	{"HAW 26", "none of the algorithms tolerates loss", "tokenring", loss, blocks, ""},
	{"HAW 26", "none of the algorithms tolerates loss", "ricartagrawala-acknowledged", loss, blocks, "the request-reply protocol repeats what is lost"},
	{"HAW 23", "without an acknowledgement, the process is not active any more", "ricartagrawala-acknowledged", []string{"wrong suspicion"}, Cell.Survives, "a node that is slow is taken for one that has crashed"},
}

var (
	crashes = []string{"crash, idle", "crash, waiting", "crash, inside"}
	loss    = []string{"loss"}
)

func blocks(c Cell) bool    { return strings.Contains(c.Verdict, "blocks") }
func blocksAll(c Cell) bool { return c.Verdict == "blocks all" }

// onlyNode0 reports whether only the crash of the coordinator blocks others.
func onlyNode0(c Cell) bool { return c.Verdict == "0 blocks 1 2" }

// Find computes the cell of a protocol and a fault with these names.
func Find(protocol, fault string) (Cell, error) {
	p, found := catalog.FindProtocol(protocol)
	all := slices.Concat(All, Detectors)
	k := slices.IndexFunc(all, func(f Fault) bool { return f.Name == fault })
	if !found || k < 0 {
		return Cell{}, fmt.Errorf("there is no cell of %s, %s", protocol, fault)
	}
	return Of(p, all[k])
}

// Row returns the row of a sentence, and whether the computed verdicts agree with it.
func (s Sentence) Row() (row string, agrees bool, err error) {
	agrees = true
	var computed []string
	for _, name := range s.Faults {
		c, err := Find(s.Protocol, name)
		if err != nil {
			return "", false, err
		}
		computed = append(computed, name+": "+c.Verdict)
		agrees = agrees && s.want(c)
	}
	verdict := "agrees"
	if s.But != "" {
		verdict = "differs: " + s.But
	}
	return fmt.Sprintf("| %s | %s | `%s` | %s | %s |\n", s.Lecture, s.Says, s.Protocol, strings.Join(computed, "; "), verdict), agrees, nil
}
