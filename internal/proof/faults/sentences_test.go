package faults

import (
	"fmt"
	"strings"

	"example.org/doorway/internal/spelling"
)

// A sentence is one of a lecture about faults.
type sentence struct {
	lecture string // as comments call it
	slide   string // its number; Mattern's have titles
	says    string
	of      []instance
}

// An instance of a sentence is an algorithm with some faults.
type instance struct {
	algorithm string
	faults    []string
	want      func(verdict string) bool // what the sentence says of each of them
	but       string                    // why the computed verdicts differ; "" if they do not
}

// sentences are those of the lectures, in their order.
var sentences = []sentence{
	{"Reiser", "5.6", "links must be reliable, and FIFO", []instance{{"lamport", []string{"loss", "overtaking"}, twoInside, ""}}},
	{"Reiser", "5.8", "once any node has crashed, no node can enter", []instance{{"lamport", crashes, blocksAll, ""}}},
	{"Reiser", "5.9", "links must be reliable", []instance{{"ricartagrawala", lost, blocks, ""}}},
	{"Reiser", "5.9", "they need not be FIFO", []instance{{"ricartagrawala", overtaken, survive, ""}}},
	{"Reiser", "5.35", "INQUIRE may arrive before LOCKED, since FIFO is not guaranteed", []instance{{"caosinghal", overtaken, survive, ""}}},
	{"Reiser", "5.39", "a problem is to create exactly one token", []instance{
		{"suzukikasami", []string{"restart, idle"}, twoInside, ""},
		{"recovery-suzukikasami", restarted, survive, ""},
	}},
	{"Reiser", "5.42", "nodes that have sent requests must not crash", []instance{{"suzukikasami", crashes[1:2], blocks, ""}}},
	{"Reiser", "5.42", "nor must the node that has the token", []instance{{"suzukikasami", []string{"crash, idle", "crash, inside"}, blocks, ""}}},
	{"Reiser", "5.48", "the path from a requester to the token must be up", []instance{{"raymond", crashes, blocks, ""}}},

	{"HAW", "1", "an election is for when a coordinator has crashed", []instance{{"bully", told, survive, ""}, {"recovery-central", told, survive, ""}}},
	{"HAW", "1", "no process knows which others are up", []instance{{"heartbeat-bully", crashed, survive, ""}}},
	{"HAW", "1", "a process that restarts is one of the live ones again", []instance{
		{"bully", restarted, survive, ""},
		{"heartbeat-bully", restarted, survive, ""},
		{"ring", restarted, survive, "a process that restarts does not know of the election: its user must hold another"},
	}},
	{"HAW", "2", "if the coordinator has crashed, the live process with the largest number is found", []instance{{"bully", told, survive, ""}}},
	{"HAW", "3", "a process notices that the coordinator has stopped answering", []instance{
		{"heartbeat-bully", crashed, survive, ""},
		{"bully", crashed, survive, "only if it holds an election; heartbeats, or a detector, tell it when to"},
	}},
	{"HAW", "3", "a process that gets no ANSWER in time leads", []instance{
		{"bully", []string{early.name}, survive, ""},
		{"bully", lost, survive, "the ANSWER may be lost: then two lead, in different terms, until the next election"},
	}},
	{"HAW", "7", "if its successor cannot be reached, a process sends to the next one", []instance{{"ring", told, survive, ""}}},
	{"HAW", "7", "all processes are up, and no faults occur", []instance{{"ring", []string{"crash", "loss"}, fails, ""}, {"changroberts", []string{"crash", "loss"}, fails, ""}}},
	{"HAW", "10", "devices may be removed at any time, which leads to a bus reset and an election", []instance{{"firewire", told, survive, "a node here keeps its links: after a reset, the remaining nodes hold an election on theirs"}}},
	{"HAW", "15", "fault tolerance: safety and liveness hold in spite of crashes", []instance{{"ricartagrawala-acknowledged", toldCrashes, survive, ""}}},
	{"HAW", "18", "neither the crash of a client nor of the server is tolerated", []instance{{"central", crashes, blocks, ""}}},
	{"HAW", "18", "the server is a single point of failure", []instance{{"central", crashes[:1], onlyNode0, ""}}},
	{"HAW", "18", "a client that crashes inside, or loss, can cause a deadlock", []instance{{"central", []string{"crash, inside", "loss"}, blocks, ""}}},
	{"HAW", "23", "there are n points of failure instead of one", []instance{{"ricartagrawala", crashes[:1], blocksAll, ""}}},
	{"HAW", "23", "if a process with a queue crashes, the system stops", []instance{{"ricartagrawala", crashes[1:], blocksAll, ""}}},
	{"HAW", "23", "without an acknowledgement, the process is not active any more", []instance{{"ricartagrawala-acknowledged", []string{suspicion.name}, survive, "a slow node is taken for a crashed one"}}},
	{"HAW", "23", "a simple majority is enough", []instance{
		{"majority", toldCrashes, survive, ""},
		{"majority", crashes, survive, "a node asks one majority, and waits for each vote of it until it is told of a crash"},
	}},
	{"HAW", "25", "safety: only one process has the token", []instance{{"tokenring", []string{"restart, idle"}, survive, "node 0 makes the token when it starts, and again when it restarts"}}},
	{"HAW", "25", "a lost token must be regenerated", []instance{{"tokenring", lost, blocksAll, ""}, {"recovery-tokenring-timeouts", lost, survive, ""}}},
	{"HAW", "25", "that a token is lost is hard to detect", []instance{{"tokenring", lost, blocksAll, ""}}},
	{"HAW", "25", "a process that is inside for long has not lost it", []instance{{"recovery-tokenring-timeouts", []string{early.name}, survive, ""}}},
	{"HAW", "26", "none of the algorithms tolerates loss", []instance{
		{"central", lost, blocks, ""},
		{"ricartagrawala", lost, blocks, ""},
		{"tokenring", lost, blocks, ""},
		{"ricartagrawala-acknowledged", lost, blocks, "the request-reply protocol repeats what is lost"},
	}},
	{"HAW", "26", "the crash of a client that neither has the token nor asks for it is tolerated", []instance{{"central", crashes[:1], onlyNode0, ""}}},
	{"HAW", "26", "crashes are tolerated with a request-reply protocol", []instance{{"ricartagrawala-acknowledged", crashes, survive, ""}}},
	{"HAW", "26", "no process of the token ring may crash", []instance{{"tokenring", crashes, blocksAll, ""}}},
	{"HAW", "28", "multicast is an unreliable service", []instance{{"basic", []string{"loss", "duplicate"}, fails, ""}}},
	{"HAW", "28", "a layer that secures it makes it reliable", []instance{{"link-basic", []string{"loss", "duplicate", "overtaking"}, survive, ""}}},
	{"HAW", "29", "are losses detected?", []instance{
		{"link-basic", lost, survive, ""},
		{"reliable", lost, survive, "it leaves them to the links: link.Over gives it reliable ones"},
	}},
	{"HAW", "29", "are crashes of members handled?", []instance{
		{"reliable", told, survive, ""},
		{"reliable", crashed, survive, "without a detector, a member is missed only when its answer is awaited"},
	}},

	{"Prabhakaran", "1", "the token may be lost", []instance{{"suzukikasami", lost, blocksAll, ""}, {"recovery-suzukikasami-timeouts", lost, survive, ""}}},
	{"Prabhakaran", "1", "its holder may crash", []instance{
		{"suzukikasami", []string{"crash, idle", "crash, inside"}, blocksAll, ""},
		{"recovery-suzukikasami", told, survive, ""},
	}},
	{"Prabhakaran", "1", "there may be several tokens", []instance{
		{"suzukikasami", []string{"restart, idle"}, twoInside, ""},
		{"recovery-suzukikasami", restarted, survive, ""},
	}},
	{"Prabhakaran", "3", "fault tolerance: recognize faults, reorganize, continue", []instance{
		{"ricartagrawala-acknowledged", toldCrashes, survive, ""},
		{"maekawa", toldCrashes, survive, ""},
	}},
	{"Prabhakaran", "3", "such as of a loss of the token", []instance{{"recovery-suzukikasami-timeouts", []string{crash.name, loss.name}, survive, ""}}},
	{"Prabhakaran", "8", "messages are delivered in FIFO order", []instance{{"lamport", overtaken, twoInside, ""}}},
	{"Prabhakaran", "19", "message deliveries are not ordered", []instance{{"maekawa", overtaken, survive, ""}}},
	{"Prabhakaran", "22", "correctness is trivial, since only one token is present", []instance{{"suzukikasami", []string{"duplicate"}, refuses, ""}}},

	{"Mattern", "Der O(log n)-Algorithmus", "is it a problem if messages overtake, such as a request the token?", []instance{{"raymond", overtaken, survive, ""}}},
	{"Mattern", "Sonderfall Ring?", "are FIFO channels necessary?", []instance{{"huntedring", overtaken, blocksAll, ""}}},
	{"Mattern", "Klassifikation: Token ⇔ Request", "how is it noticed that the token is lost?", []instance{
		{"raymond", lost, blocksAll, ""},
		{"recovery-raymond-timeouts", lost, survive, ""},
	}},
	{"Mattern", "Klassifikation: Token ⇔ Request", "who may make a new token? there must be one only", []instance{
		{"raymond", []string{"restart, idle"}, twoInside, ""},
		{"recovery-raymond", told, survive, ""},
		{"recovery-raymond-timeouts", []string{suspicion.name}, survive, ""},
	}},
	{"Mattern", "Wechselseitiger Ausschluss: Kriterien", "fault tolerance: what becomes of it after a fault, such as a loss?", []instance{
		{"lamport", lost, twoInside, ""},
		{"naimitrehel", lost, blocksAll, ""},
	}},
	{"Mattern", "Wechselseitiger Ausschluss: Kriterien", "how is the state made consistent again?", []instance{{"recovery-naimitrehel", told, survive, ""}}},
	{"Mattern", "Das Election-Problem", "an election is for making a unique token", []instance{{"recovery-naimitrehel", told, survive, ""}}},
}

// The names of faults.
var (
	crashes     = names(crash.byPhase())
	toldCrashes = names(detected.byPhase())
	crashed     = []string{crash.name}
	told        = []string{detected.name}
	restarted   = []string{restart.name}
	lost        = []string{loss.name}
	overtaken   = []string{overtaking.name}
)

func names(faults []fault) (all []string) {
	for _, f := range faults {
		all = append(all, f.name)
	}
	return all
}

func survive(verdict string) bool   { return verdict == survives }
func fails(verdict string) bool     { return verdict != survives }
func blocks(verdict string) bool    { return strings.Contains(verdict, "blocks") }
func blocksAll(verdict string) bool { return verdict == "blocks all" }
func twoInside(verdict string) bool { return verdict == "two inside" }
func refuses(verdict string) bool   { return verdict == "refuses" }

// onlyNode0 reports whether only the crash of the coordinator blocks others.
func onlyNode0(verdict string) bool { return verdict == "0 blocks 1 2" }

// computed returns the verdicts on an instance, and whether they agree with its sentence. It returns an error if one of
// its cells does not exist.
func (i instance) computed(of verdicts) (text string, agrees bool, err error) {
	agrees, text = true, "`"+i.algorithm+"`: "
	for _, fault := range i.faults {
		verdict, exists := of[[2]string{i.algorithm, fault}]
		if !exists {
			return "", false, fmt.Errorf("there is no cell of %s, %s", i.algorithm, fault)
		}
		agrees = agrees && i.want(verdict)
		if before, same := strings.CutSuffix(text, ": "+verdict+"; "); same {
			text = before + ", "
		}
		text += fault + ": " + verdict + "; "
	}
	return strings.TrimSuffix(text, "; "), agrees, nil
}

// row returns the row of a sentence of which all this is computed.
func (s sentence) row(computed, but []string) string {
	return spelling.Row(s.lecture+" "+s.slide, s.says, strings.Join(computed, "; "), strings.Join(but, "; "))
}
