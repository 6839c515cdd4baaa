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
	restartsLeft
	crashesLeft // from here on, faults
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
	says   string // see event
	do     string // the choice of package sim, before its number; "": sim has none
	action string // of its [sim.Pending]; "": it is the act of a user, or a fault of a node
	budget int
}{
	starts:   {says: "%[1]s starts"},
	asks:     {says: "%[1]s asks", do: "a"},
	leaves:   {says: "%[1]s leaves", do: "l"},
	givesUp:  {says: "%[1]s gives up", do: "g", budget: withdrawals},
	crashes:  {says: "%[1]s crashes", do: "k", budget: crashesLeft},
	restarts: {says: "%[1]s starts again", do: "r", budget: restartsLeft},
	drops:    {says: "%[1]s does not get %[3]s from %[2]s: it is lost", do: "x", action: "delivered", budget: lossesLeft},
	doubles:  {says: "%[1]s will get %[3]s from %[2]s twice", do: "y", action: "delivered", budget: duplicatesLeft},
	discards: {says: "%[1]s, which is down, loses %[3]s from %[2]s", do: "d", action: "delivered"},
	misses:   {says: "%[1]s, which is down, loses %[3]s from its user", do: "d", action: "input"},
	hears:    {says: "%[1]s learns of the crash of %[2]s", do: "d", action: "told"},
	suspects: {says: "%[1]s is told that %[2]s has crashed, which it has not", budget: suspicionsLeft},
	gets:     {says: "%[1]s gets %[3]s from %[2]s", do: "d", action: "delivered"},
	given:    {says: "%[1]s gets %[3]s from its user", do: "d", action: "input"},
	expires:  {says: "%[1]s gets %[3]s from its timer", do: "d", action: "expired"},
}
