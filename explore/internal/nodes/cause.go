package nodes

// A cause is the kind of an event at a node.
type cause uint8

const (
	starts cause = iota
	asks
	leaves
	givesUp
	crashes
	restarts
	drops    // a message is lost
	doubles  // a message is duplicated
	discards // a message arrives while the node is down
	misses   // its user has an input for it meanwhile
	hears    // of a crash
	suspects // a node that has not crashed
	gets
	given // by its user
	expires
)

// The budgets of a state: how many faults may still happen.
const (
	unlimited = iota // no budget
	withdrawals
	crashesLeft
	restartsLeft
	lossesLeft
	duplicatesLeft
	suspicionsLeft
	earlyLeft
	budgets
)

func (c *Config) budgets() [budgets]int {
	return [budgets]int{
		withdrawals: c.Withdrawals, crashesLeft: c.Crashes, restartsLeft: c.Restarts, lossesLeft: c.Losses,
		duplicatesLeft: c.Duplicates, suspicionsLeft: c.Suspicions, earlyLeft: c.Early,
	}
}

// about has what is known of events by their causes.
var about = [...]struct {
	says   string // what a [history.Event] says, of another node
	do     string // the choice of package sim, before its number; "": sim has none
	action string // of its [sim.Pending]; "": it is the act of a user, or a fault of a node
	budget int
	free   bool // it need not happen although it remains possible: what a user does, but for leaving, and faults
	fault  bool // of a node, a link or a detector
}{
	starts:   {says: "starts"},
	asks:     {says: "asks", do: "a", free: true},
	leaves:   {says: "leaves", do: "l"},
	givesUp:  {says: "gives up", do: "g", budget: withdrawals, free: true},
	crashes:  {says: "crashes", do: "k", budget: crashesLeft, free: true, fault: true},
	restarts: {says: "starts again", do: "r", budget: restartsLeft},
	drops:    {says: "lacks", do: "x", action: "delivered", budget: lossesLeft, free: true, fault: true},
	doubles:  {says: "twice", do: "y", action: "delivered", budget: duplicatesLeft, free: true, fault: true},
	discards: {says: "loses", do: "d", action: "delivered"},
	misses:   {says: "loses", do: "d", action: "input", free: true},
	hears:    {says: "learns of the crash of %s", do: "d", action: "told"},
	suspects: {says: "is told that %s has crashed, which it has not", budget: suspicionsLeft, free: true, fault: true},
	gets:     {do: "d", action: "delivered"},
	given:    {do: "d", action: "input", free: true},
	expires:  {do: "d", action: "expired"},
}
