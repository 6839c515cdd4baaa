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
		Name:  "the owner checks for posts before it releases the node",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.owner.Store(0)\n\tif m.posted.Load() {\n",
		New:   "\tposted := m.posted.Load()\n\tm.owner.Store(0)\n\tif posted {\n",
	},
	{
		Name:  "a runner that leaves a message does not check for an owner",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tr.adopt(m) // in case its owner has released it meanwhile\n",
		New:   "",
	},
	{
		Name:  "a runner that leaves a message checks for an owner before",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm.mu.Lock()\n\tm.inbox.Add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n\tr.adopt(m) // in case its owner has released it meanwhile\n",
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
		Right: "it is set before the check for an owner, and before the sender is released; " +
			"a runner that finds the message earlier leaves posted set, and an empty inbox is collected once more",
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
		Name:  "the user is answered after all messages of its node are posted",
		File:  "runner.go",
		Shown: "desk: two enter",
		Old:   "\tm := r.acting\n\tif m.site.phase != r.before && !m.site.absorbed { // else the entry is absorbed\n\t\tr.cross(m)\n\t}\n",
		New:   "\tm := r.acting\n",
		Right: "the next command of the user queues behind the running handler, and so comes no later",
	},
	{
		Name:  "an abort is confirmed although the node is inside",
		File:  "member.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\t\t\tm.site.Withdraw()\n\t\t\tm.reply(withdrawn)\n\t\t}\n",
		New:   "\t\t\tm.site.Withdraw()\n\t\t}\n\t\tm.reply(withdrawn)\n",
		Right: "the user gets the first answer, entered, and the next request drops the second",
	},
	{
		Name:  "an abort does not wait for the answer",
		File:  "cluster.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\tc.submit(m, withdraw)\n\treturn m.take(m.receive())\n",
		New:   "\tc.submit(m, withdraw)\n\treturn m.take(answer{what: withdrawn})\n",
	},
	{
		Name:  "a failed TryLock leaves the request pending",
		File:  "cluster.go",
		Shown: "desk: one enters, one tries",
		Old:   "\tc.submit(m, abandon)\n",
		New:   "",
	},
	{
		Name:  "a failed TryLock leaves a node inside that entered meanwhile",
		File:  "member.go",
		Shown: "desk: one enters, one tries",
		Old:   "\t\tcase m.site.Phase() == Inside:\n\t\t\tm.site.Release()\n",
		New:   "",
	},
	{
		Name:  "the answer to an abandoned request counts for the next",
		File:  "member.go",
		Shown: "desk: one tries, and then enters",
		Old:   "return a.of == m.asked || a.what == clusterClosed",
		New:   "return true",
	},
	{
		Name:  "the answer to an abandoned request keeps out the next",
		File:  "member.go",
		Shown: "desk: one tries, and then enters",
		Old:   "\tif a, ok := m.answer.Poll(); ok && a.what == clusterClosed {\n\t\tm.answer.Offer(a)\n\t}\n",
		New:   "",
	},
	{
		Name:  "that the cluster is closed is taken for an old answer",
		File:  "member.go",
		Shown: "desk: two enter, and it is closed",
		Old:   "if a, ok := m.answer.Poll(); ok && a.what == clusterClosed {",
		New:   "if a, ok := m.answer.Poll(); ok && false {",
	},
	{
		Name:  "an old answer keeps out that the cluster is closed",
		File:  "member.go",
		Shown: "desk: one tries, and then enters, and it is closed",
		Old:   "\tfor !m.answer.Offer(answer{what: clusterClosed}) {\n\t\tm.answer.Poll()\n\t}\n",
		New:   "\tm.answer.Offer(answer{what: clusterClosed})\n",
	},
	{
		Name:  "an absorbed request is requested again",
		File:  "site.go",
		Shown: "desk: one enters, one gives up and comes again",
		Old:   "\t\ts.lock.Request((*outlet)(s))\n\t\ts.settle()\n\tcase Absorbing:\n\t\ts.phase = Waiting\n",
		New:   "\t\ts.lock.Request((*outlet)(s))\n\t\ts.settle()\n\tcase Absorbing:\n\t\ts.phase = Waiting\n\t\ts.lock.Request((*outlet)(s))\n\t\ts.settle()\n",
	},
	{
		Name:  "waiting callers are not told that the cluster is closed",
		File:  "cluster.go",
		Shown: "desk: two enter, and it is closed",
		Old:   "\t\tc.members[k].close()\n",
		New:   "\t\t_ = k\n",
	},
	{
		Name:  "a waiting caller is not told that its node has crashed",
		File:  "crash.go",
		Shown: "mourner: two enter, and one crashes",
		Old:   "\tcase Waiting:\n\t\tm.reply(nodeDown)\n",
		New:   "\tcase Waiting:\n",
	},
	{
		Name:  "a caller whose request comes after the crash is not told",
		File:  "crash.go",
		Shown: "mourner: two enter, and one crashes",
		Old:   "\t\t\tm.serve()\n\t\t\tm.reply(nodeDown)\n",
		New:   "\t\t\tm.serve()\n",
	},
	{
		Name:  "the exit of an entry that a crash has ended is that of the next life",
		File:  "crash.go",
		Shown: "mourner: two enter, and one crashes and restarts",
		Old:   "\t\tm.crash.orphaned = true\n",
		New:   "",
	},
	{
		Name:  "a crash that has been served crashes the node again when it has restarted",
		File:  "crash.go",
		Shown: "mourner: one host crashes it, and another restarts it",
		Old:   "if m.life.Load() == f.life {",
		New:   "if f.life <= m.life.Load() {",
	},
	{
		Name:  "others are not told of a crash",
		File:  "crash.go",
		Shown: "mourner: one enters, the other crashes",
		Old:   "\t\t\tr.post(to, delivery{m.id, n, 0})\n",
		New:   "\t\t\t_ = n\n",
	},
	{
		Name:  "Close omits callers that are not waiting",
		File:  "cluster.go",
		Shown: "desk: two enter, and it is closed",
		Old:   "\t\tc.members[k].close()\n",
		New:   "\t\tif c.members[k].user.Load() == entering {\n\t\t\tc.members[k].close()\n\t\t}\n",
	},
}

// The exploration finds a failing run for each broken variant of the source.
func TestBrokenVariantsGoWrong(t *testing.T) {
	tier.NeedsFull(t, "compiles each of the variants")
	variants.Check(t, "ownership_scenarios_explore_test.go", changes)
}
