//go:build explore

package messaging_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/doorway/internal/interleave"
)

// A variant is the source of this package with a small change that breaks it, or
// is thought to.
type variant struct {
	name     string
	file     string
	old, new string
	shown    string // the scenarios that show it have names that begin so
	right    string // why it is right all the same, in these scenarios; "": it is broken
}

var variants = []variant{
	{
		name:  "the owner does not look for posts after it has let go",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tm.owner.Store(0)\n\tif m.posted.Load() {\n\t\tr.adopt(m)\n\t}\n",
		new:   "\tm.owner.Store(0)\n",
	},
	{
		name:  "the owner looks for posts before it lets go",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tm.owner.Store(0)\n\tif m.posted.Load() {\n",
		new:   "\tposted := m.posted.Load()\n\tm.owner.Store(0)\n\tif posted {\n",
	},
	{
		name:  "who leaves a message does not look for an owner",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tr.adopt(m) // in case that its owner has let go of it meanwhile\n",
		new:   "",
	},
	{
		name:  "who leaves a message looks for an owner before",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tm.mu.Lock()\n\tm.inbox.add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n\tr.adopt(m) // in case that its owner has let go of it meanwhile\n",
		new:   "\tr.adopt(m)\n\tm.mu.Lock()\n\tm.inbox.add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
	},
	{
		name:  "posted is set before the message is there",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tm.mu.Lock()\n\tm.inbox.add(d)\n\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
		new:   "\tm.posted.Store(true)\n\tm.mu.Lock()\n\tm.inbox.add(d)\n\tm.mu.Unlock()\n",
	},
	{
		name:  "posted is set after the message is there",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tm.posted.Store(true)\n\tm.mu.Unlock()\n",
		new:   "\tm.mu.Unlock()\n\tm.posted.Store(true)\n",
		right: "it is set before the look for an owner, and before the sender is let go of; " +
			"who finds the message earlier leaves posted set, and an inbox that is empty is collected once more",
	},
	{
		name:  "posted is cleared after the mutex is unlocked",
		file:  "member.go",
		shown: "desk: two enter",
		old:   "\tm.posted.Store(false)\n\tm.mu.Unlock()\n",
		new:   "\tm.mu.Unlock()\n\tm.posted.Store(false)\n",
	},
	{
		name:  "a message to a node of one's own overtakes those left there",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tif m.posted.Load() {\n\t\tm.collect()\n\t}\n\tm.queue.push(",
		new:   "\tm.queue.push(",
	},
	{
		name:  "a node is adopted in two steps",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tif !m.owner.CompareAndSwap(0, r.number) {\n\t\treturn false\n\t}\n",
		new:   "\tif m.owner.Load() != 0 {\n\t\treturn false\n\t}\n\tm.owner.Store(r.number)\n",
	},
	{
		name:  "two runners have the same number",
		file:  "runner.go",
		shown: "desk: three enter",
		old:   "number: c.runners.Add(1)}",
		new:   "number: c.runners.Add(1)%2 + 1}",
	},
	{
		name:  "the user is answered when all messages of its node are on their way",
		file:  "runner.go",
		shown: "desk: two enter",
		old:   "\tif m.site.phase != r.before {\n\t\tr.cross(m)\n\t}\n",
		new:   "",
		right: "what the user wants next queues up behind the handler that is not over, and so comes no later",
	},
	{
		name:  "who gives up is told so though it is inside",
		file:  "member.go",
		shown: "desk: one enters, one gives up and comes again",
		old:   "\t\t\tm.site.Withdraw()\n\t\t\tm.reply(withdrawn)\n\t\t}\n",
		new:   "\t\t\tm.site.Withdraw()\n\t\t}\n\t\tm.reply(withdrawn)\n",
	},
	{
		name:  "who gives up does not wait for the answer",
		file:  "cluster.go",
		shown: "desk: one enters, one gives up and comes again",
		old:   "\tc.tell(m, withdraw)\n\treturn m.take(m.answer.receive())\n",
		new:   "\tc.tell(m, withdraw)\n\treturn m.take(withdrawn)\n",
	},
	{
		name:  "who fails to enter at once leaves the request where it is",
		file:  "cluster.go",
		shown: "desk: one enters, one tries",
		old:   "\treturn c.giveUp(m) == nil\n",
		new:   "\treturn m.take(withdrawn) == nil\n",
	},
	{
		name:  "a request that is absorbed is begun anew",
		file:  "site.go",
		shown: "desk: one enters, one gives up and comes again",
		old:   "\tcase Idle:\n\t\ts.phase = Waiting\n\t\ts.node.Request((*outlet)(s))\n\t\ts.settle()\n\tcase Absorbing:\n\t\ts.phase = Waiting\n",
		new:   "\tcase Idle, Absorbing:\n\t\ts.phase = Waiting\n\t\ts.node.Request((*outlet)(s))\n\t\ts.settle()\n",
	},
	{
		name:  "those who wait are not told that the cluster is closed",
		file:  "cluster.go",
		shown: "desk: two enter, and it is closed",
		old:   "\t\tc.members[k].reply(gone)\n",
		new:   "\t\t_ = k\n",
	},
	{
		name:  "Close leaves out those who are not waiting",
		file:  "cluster.go",
		shown: "desk: two enter, and it is closed",
		old:   "\t\tc.members[k].reply(gone)\n",
		new:   "\t\tif c.members[k].user.Load() == coming {\n\t\t\tc.members[k].reply(gone)\n\t\t}\n",
	},
}

// The exploration is worth something only if it finds what is wrong: each broken
// variant of the source has a run that it shows.
func TestBrokenVariantsGoWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another program")
	}
	for _, o := range outcomes(t) {
		v := variants[o.Variant]
		t.Run(v.name, func(t *testing.T) {
			switch {
			case o.Failure == "" && v.right == "":
				t.Error("no scenario shows what is wrong")
			case o.Failure != "" && v.right != "":
				t.Errorf("was thought to be right, but: %s: %s\n%v", o.Scenario, o.Failure, o.Trace)
			case o.Failure == "":
				t.Logf("as right as the original: %s", v.right)
			case o.Trace == nil:
				t.Errorf("%s: %s", o.Scenario, o.Failure)
			default:
				t.Logf("%s: %s\n%v", o.Scenario, o.Failure, o.Trace)
			}
		})
	}
}

// An outcome is what was found of a variant.
type outcome struct {
	Variant           int
	Scenario, Failure string
	Trace             interleave.Trace
}

// outcomes has a program explore all variants, each of which is a package of
// its own, with the scenarios.
func outcomes(t *testing.T) []outcome {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Below the path of the library, so that it may import what is internal.
	write("go.mod", "module example.org/doorway/broken\n\ngo 1.25.0\n\nrequire example.org/doorway v0.0.0\n\nreplace example.org/doorway => "+root+"\n")
	imports, calls := "", ""
	for i, v := range variants {
		for name, text := range source(t) {
			if name == v.file {
				if strings.Count(text, v.old) != 1 {
					t.Fatalf("%s: %s has %d times\n%s", v.name, name, strings.Count(text, v.old), v.old)
				}
				text = strings.Replace(text, v.old, v.new, 1)
			}
			write(fmt.Sprintf("v%d/messaging/%s", i, name), text)
		}
		imports += fmt.Sprintf("import v%d \"example.org/doorway/broken/v%[1]d/messaging\"\n", i)
		calls += fmt.Sprintf("\tv%d.Report(%[1]d, %q)\n", i, v.shown)
	}
	write("main.go", "package main\n\n"+imports+"\nfunc main() {\n"+calls+"}\n")

	run := func(name string, args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	run("go", "build", "-tags=explore", "-trimpath", "-o=explore", ".")
	var all []outcome
	for d := json.NewDecoder(strings.NewReader(string(run(filepath.Join(dir, "explore"))))); d.More(); {
		var o outcome
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	if len(all) != len(variants) {
		t.Fatalf("%d outcomes of %d variants", len(all), len(variants))
	}
	return all
}

// source returns the source of this package, with the scenarios.
func source(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && name != scenarios {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")+".go"] = string(text)
	}
	return files
}

const scenarios = "ownership_scenarios_explore_test.go"
