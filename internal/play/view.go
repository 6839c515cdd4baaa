package play

// A View is all that the page shows of a run. Slices in it are never nil, so that they are arrays in JSON.
type View struct {
	Run     Run      `json:"run"`     // what is played
	Made    int      `json:"made"`    // how many choices have been made
	Kept    int      `json:"kept"`    // how many were taken back, and can be made again by Forward
	Forward string   `json:"forward"` // the first of those; "": none
	From    int      `json:"from"`    // the index of the first of Events
	Total   int      `json:"total"`   // how many events there are, those before From among them
	Events  []Event  `json:"events"`  // from From on
	Members []Member `json:"members"` // the nodes, or the processes
	Choices []Choice `json:"choices"` // all that can be done now
	Next    string   `json:"next"`    // the one of Choices that is made if the run goes on by itself; "": none
	Blocked []Block  `json:"blocked"` // what cannot, and why
	Verdict Verdict  `json:"verdict"`
	Waits   []Wait   `json:"waits"` // who waits for whom

	// Of nodes.
	Now     string    `json:"now,omitempty"` // in T
	Transit []Transit `json:"transit"`       // messages and timers
	Costs   Costs     `json:"costs"`

	// Of a lock.
	Registers []Register `json:"registers"`

	// Goal is that of the challenge that is played; nil: none is.
	Goal *Goal `json:"goal,omitempty"`

	// Refused is why the last choice, or the end of the text that was opened, could not be made: a sentence. What was
	// possible was done. At a limit of the page it names that, and there are no Choices. Again is the text with which it can
	// be tried all the same, as the rules of the algorithm have changed; "": that makes no sense.
	Refused string `json:"refused,omitempty"`
	Again   string `json:"again,omitempty"`
}

// A Run is what does not change in a run. Its fields are sent with each view from event 0 on; otherwise only Key is.
type Run struct {
	Key       int      `json:"key"`                 // another number for each run that is opened
	Kind      string   `json:"kind"`                // "nodes" or "lock"
	Algorithm string   `json:"algorithm,omitempty"` // its name: bakery/late-number
	Source    string   `json:"source,omitempty"`    // author and year; of one that is wrong, what is wrong
	Checks    string   `json:"checks,omitempty"`    // what a check of it checks: that of another run with the same Checks has the same verdicts
	Title     string   `json:"title,omitempty"`     // of an opening run, or a challenge
	Caption   string   `json:"caption,omitempty"`   // what is to be seen in it
	Points    []Point  `json:"points,omitempty"`    // where to draw each node
	Links     [][2]int `json:"links,omitempty"`     // between nodes, each once; none if all are linked
	Quorums   [][]int  `json:"quorums,omitempty"`   // the nodes that each asks, if the algorithm has such sets
	Files     []File   `json:"files,omitempty"`     // the source of a lock
	Names     []string `json:"names,omitempty"`     // of the members: S1 or P0
	Kinds     []string `json:"kinds,omitempty"`     // of messages
}

// A Point is a place in a square of size 1: x from the left, y from the top.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// A File is a source file.
type File struct {
	Path string `json:"path"` // peterson/peterson.go
	Text string `json:"text"`
}

// An Event is one of a node, or a step of a process.
type Event struct {
	Number int    `json:"number"` // from 1
	Choice int    `json:"choice"` // the number of choices made when it occurred: Back to Choice-1 undoes it
	At     string `json:"at"`     // in T; of a lock, its number
	Member int    `json:"member"` // at whom it occurs
	Action string `json:"action"` // of nodes as in messaging.Event; of processes "write", "read", "await" and so on
	Text   string `json:"text"`   // in words: "S2 gets REQUEST(1,S1) from S1"
	Phase  string `json:"phase"`  // of the member after it
	Entry  bool   `json:"entry"`  // the member enters the critical section by it

	// Of a message.
	From  int    `json:"from"`
	To    int    `json:"to"`
	Kind  string `json:"kind,omitempty"`
	Cause int    `json:"cause,omitempty"` // the number of the event that caused it; 0: none

	// Of a step.
	Path string `json:"path,omitempty"` // of the source
	Line int    `json:"line,omitempty"`
}

// A Member is a node or a process.
type Member struct {
	Name    string  `json:"name"`
	Phase   string  `json:"phase"` // of nodes idle, waiting, inside, absorbing; of processes as in explore.Place
	Crashed bool    `json:"crashed"`
	Entries int     `json:"entries"` // so far
	Fields  []Field `json:"fields"`  // the state

	// Of a process: where it is, what it does next, and, if that is an await, whether it holds.
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Next   string `json:"next,omitempty"`
	Awaits bool   `json:"awaits"`
	Holds  bool   `json:"holds"`
}

// A Field is one of the state of a node.
type Field struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"` // by the last choice
}

// A Choice is something that can be done now.
type Choice struct {
	Do     string `json:"do"`     // what Choose takes: "d15"
	Text   string `json:"text"`   // "REQUEST(1,S1) arrives at S2"
	Group  string `json:"group"`  // "next" (what would happen by itself), "deliver", "user", "fault"
	Member int    `json:"member"` // at whom it occurs
	On     int    `json:"on"`     // the number of the message in Transit that it is about; 0: none
}

// A Block is a process that cannot take a step, or a message behind another.
type Block struct {
	Member int    `json:"member"`
	Why    string `json:"why"`             // "P1 awaits want[0] = 0, and it is 1"
	Until  string `json:"until,omitempty"` // what it awaits, as the source of the lock has it: "wantj == 0"
}

// A Verdict is what can be said of the run at any time.
type Verdict struct {
	Kind string `json:"kind"` // "going", "done", "stuck", "violated", "failed"
	Text string `json:"text"` // a sentence
}

// A Wait says for whom a member waits, and why.
type Wait struct {
	Member int    `json:"member"`
	For    int    `json:"for"`
	Why    string `json:"why"`

	lost string // the message that was lost, for which it waits; "": none was
}

// A Transit is a message on its way, or a timer.
type Transit struct {
	Number int    `json:"number"`
	Timer  bool   `json:"timer"`
	From   int    `json:"from"`
	To     int    `json:"to"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Sent   int    `json:"sent"` // the number of the event; 0: none
	Due    string `json:"due"`
	Behind int    `json:"behind"` // the number of the message in front of it on a FIFO link; 0: none
}

// Costs are the messages so far, beside what the algorithm claims.
type Costs struct {
	Messages int      `json:"messages"`
	Entries  int      `json:"entries"`
	Kinds    []Amount `json:"kinds"`
	Claim    string   `json:"claim"`    // the formula: "2(N-1)"; "": none
	Claimed  string   `json:"claimed"`  // its value for these nodes: "4 an entry"
	PerEntry string   `json:"perEntry"` // measured; "": no entry
}

// An Amount is how many messages of a kind were sent.
type Amount struct {
	Kind string `json:"kind"`
	Sent int    `json:"sent"`
}

// A Register is one of a lock.
type Register struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Changed bool   `json:"changed"` // by the last choice
	Writer  int    `json:"writer"`  // the process that wrote it last; -1: none
}

// A Goal is what a challenge asks for.
type Goal struct {
	Name   string `json:"name"`
	Text   string `json:"text"` // the goal
	Hint   string `json:"hint"`
	Solved bool   `json:"solved"`
	Why    string `json:"why"` // why it is solved, or what is missing
}

// A Catalog is what can be opened.
type Catalog struct {
	Algorithms []Algorithm `json:"algorithms"`
	Openings   []Opening   `json:"openings"`
	Challenges []Opening   `json:"challenges"`
	Longest    int         `json:"longest"` // the bytes of a text that is opened
	First      string      `json:"first"`   // what opens by itself: your own, or the first of Openings
}

// An Algorithm can be opened with a number of members.
type Algorithm struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`  // "nodes" or "lock"
	Group  string `json:"group"` // "locks", "permissions", "tokens", "elections" and so on, "broken on purpose", "your own"
	Source string `json:"source"`
	Least  int    `json:"least"` // members
	Most   int    `json:"most"`
	Usual  int    `json:"usual"`
	Text   string `json:"text"` // that opens it with the usual number; in it, %d stands for the number
}

// An Opening is a run with a caption, or a challenge.
type Opening struct {
	Name    string `json:"name"` // for the address: "challenge let-two-in"
	Title   string `json:"title"`
	Caption string `json:"caption"`
	Group   string `json:"group"`
	Text    string `json:"text"` // that opens it
}

// A Checked is what a check of every schedule found.
type Checked struct {
	Verdicts []Property `json:"verdicts"`
	States   int        `json:"states"`
	Seconds  float64    `json:"seconds"`
	Covers   string     `json:"covers"` // which runs: "3 nodes that each ask once, FIFO links, no faults"
	Error    string     `json:"error,omitempty"`
}

// A Property is one that was checked.
type Property struct {
	Name   string `json:"name"`
	Status string `json:"status"` // "holds", "fails", "not decided"
	Note   string `json:"note"`
	Text   string `json:"text"` // of the counterexample, to open; "": there is none

	Shortest int `json:"shortest"` // the choices of the counterexample, if none is shorter; 0: it is not known to be the shortest
}
