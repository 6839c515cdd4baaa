//go:build doorway_explore

package messaging_test

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// What breaks this package, or is thought to.
var changes = []variants.Change{
	{
		Name:  "the owner does not look for posts after it has let go",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.owner.Store(0)\n\tif m.posted.Load() {\n\t\tr.adopt(m)\n\t}\n",
		New:   "\tm.owner.Store(0)\n",
	},
	{
		Name:  "the owner looks for posts before it lets go",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.owner.Store(0)\n\tif m.posted.Load() {\n",
		New:   "\tposted := m.posted.Load()\n\tm.owner.Store(0)\n\tif posted {\n",
	},
	{
		Name:  "who leaves a message does not look for an owner",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tr.adopt(m) // in case that its owner has let go of it meanwhile\n",
		New:   "",
	},
	{
		Name:  "who leaves a message looks for an owner before",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.mu.Lock()\n\tm.inbox.Add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n\tr.adopt(m) // in case that its owner has let go of it meanwhile\n",
		New:   "\tr.adopt(m)\n\tm.mu.Lock()\n\tm.inbox.Add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
	},
	{
		Name:  "posted is set before the message is there",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.mu.Lock()\n\tm.inbox.Add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
		New:   "\tm.posted.Store(true)\n\tm.mu.Lock()\n\tm.inbox.Add(d)\n\tm.mu.Unlock()\n",
	},
	{
		Name:  "posted is set after the message is there",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
		New:   "\tm.mu.Unlock()\n\tm.posted.Store(true)\n",
		Right: "it is set before the look for an owner, and before the sender is let go of; " +
			"who finds the message earlier leaves posted set, and an inbox that is empty is collected once more",
	},
	{
		Name:  "posted is cleared after the mutex is unlocked",
		File:  "member.go",
		Shown: "desk: two enter",
		Old:   "\tm.posted.Store(false)\n\tm.mu.Unlock()\n",
		New:   "\tm.mu.Unlock()\n\tm.posted.Store(false)\n",
	},
	{
		Name:  "a message to a node of one's own overtakes those left there",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tif m.posted.Load() {\n\t\tm.collect()\n\t}\n\tm.queue.push(",
		New:   "\tm.queue.push(",
	},
	{
		Name:  "a node is adopted in two steps",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tif !m.owner.CompareAndSwap(0, r.number) {\n\t\treturn false\n\t}\n",
		New:   "\tif m.owner.Load() != 0 {\n\t\treturn false\n\t}\n\tm.owner.Store(r.number)\n",
	},
	{
		Name:  "two runners have the same number",
		File:  "runner.go",
		Shown: "desk: three enter",
		Old:   "number: c.runners.Add(1)}",
		New:   "number: c.runners.Add(1)%2 + 1}",
	},
	{
		Name:  "the user is answered when all messages of its node are on their way",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm := r.acting\n\tif m.site.phase != r.before && !m.site.absorbed { // else nobody comes in, and the site leaves at once\n\t\tr.cross(m)\n\t}\n",
		New:   "\tm := r.acting\n",
		Right: "what the user wants next queues up behind the handler that is not over, and so comes no later",
	},
	{
		Name:  "who gives up is told so though it is inside",
		File:  "member.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\t\t\tm.site.Withdraw()\n\t\t\tm.reply(withdrawn)\n\t\t}\n",
		New:   "\t\t\tm.site.Withdraw()\n\t\t}\n\t\tm.reply(withdrawn)\n",
	},
	{
		Name:  "who gives up does not wait for the answer",
		File:  "cluster.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\tc.submit(m, withdraw)\n\treturn m.take(m.answer.Receive())\n",
		New:   "\tc.submit(m, withdraw)\n\treturn m.take(withdrawn)\n",
	},
	{
		Name:  "who fails to enter at once leaves the request where it is",
		File:  "cluster.go",
		Shown: "desk: one enters, one tries",
		Old:   "\treturn c.giveUp(m) == nil\n",
		New:   "\treturn m.take(withdrawn) == nil\n",
	},
	{
		Name:  "a request that is absorbed is begun anew",
		File:  "site.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\tcase Idle:\n\t\ts.phase = Waiting\n\t\ts.node.Request((*outlet)(s))\n\t\ts.settle()\n\tcase Absorbing:\n\t\ts.phase = Waiting\n",
		New:   "\tcase Idle, Absorbing:\n\t\ts.phase = Waiting\n\t\ts.node.Request((*outlet)(s))\n\t\ts.settle()\n",
	},
	{
		Name:  "those who wait are not told that the cluster is closed",
		File:  "cluster.go",
		Shown: "desk: two enter, and it is closed",
		Old:   "\t\tc.members[k].reply(clusterClosed)\n",
		New:   "\t\t_ = k\n",
	},
	{
		Name:  "Close leaves out those who are not waiting",
		File:  "cluster.go",
		Shown: "desk: two enter, and it is closed",
		Old:   "\t\tc.members[k].reply(clusterClosed)\n",
		New:   "\t\tif c.members[k].user.Load() == entering {\n\t\t\tc.members[k].reply(clusterClosed)\n\t\t}\n",
	},
}

// The exploration is worth something only if it finds what is wrong: each broken
// variant of the source has a run that it shows.
func TestBrokenVariantsGoWrong(t *testing.T) {
	tier.NeedsFull(t, "compiles each of the variants")
	variants.Check(t, "ownership_scenarios_explore_test.go", changes)
}
