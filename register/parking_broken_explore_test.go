//go:build explore

package register_test

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

// A variant is the source of this package with a small change that makes it
// lose wake-ups, or is thought to.
type variant struct {
	name     string
	file     string
	old, new string
	shown    string // the scenarios that show it have names that begin so
	right    string // why it is right all the same, in these scenarios; "": it is broken
}

var variants = []variant{
	{
		name:  "a waiter joins the line and does not look again",
		file:  "process.go",
		shown: "word: a waiter and a writer",
		old:   "\t\tif holdsA(a.Load()) || b != nil && holdsB(b.Load()) {\n\t\t\treturn true\n\t\t}\n\t\tif !p.sleep()",
		new:   "\t\tif !p.sleep()",
	},
	{
		name:  "a waiter looks before it joins the line",
		file:  "process.go",
		shown: "word: a waiter and a writer",
		old: `		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
`,
		new: `		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
	},
	{
		name:  "a waiter looks at the second register before it stands in its line",
		file:  "process.go",
		shown: "word: a waiter at either of two, of which one comes",
		old: `		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
`,
		new: `		p.places[0].join(&a.line)
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
	},
	{
		name:  "a waiter joins the line once, and not whenever it waits",
		file:  "process.go",
		shown: "word: two waiters and two stores",
		old: `	for {
		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
		new: `	p.places[0].join(&a.line)
	if b != nil {
		p.places[1].join(&b.line)
	}
	for {
`,
	},
	{
		name:  "a writer looks for waiters before it writes",
		file:  "word.go",
		shown: "word: a waiter and a writer",
		old:   "\tw.v.Store(v)\n\tintercepted(Waking, nil)\n\tif w.line.first.Load() != nil {\n",
		new:   "\twaits := w.line.first.Load() != nil\n\tw.v.Store(v)\n\tif waits {\n",
	},
	{
		name:  "a swap wakes nobody",
		file:  "word.go",
		shown: "word: a waiter and a swap",
		old:   "\t\treturn false\n\t}\n\tintercepted(Waking, nil)\n\tif w.line.first.Load() != nil {\n\t\tw.line.wakeAll()\n\t}\n",
		new:   "\t\treturn false\n\t}\n",
	},
	{
		name:  "wakeAll sends the token before it takes who gets it out of line",
		file:  "line.go",
		shown: "word: two waiters and two stores",
		old:   "\t\tl.remove(q) // before the token: who has it need not be in line\n\t\tintercepted(Waking, nil)\n\t\tq.p.signal()\n",
		new:   "\t\tq.p.signal()\n\t\tl.remove(q)\n",
	},
	{
		name:  "wakeAll takes the first for alone",
		file:  "line.go",
		shown: "word: two waiters and one store",
		old:   "first.next.Load() == first && first.p.signal()",
		new:   "first.p.signal()",
	},
	{
		name:  "wakeAll is content if a token is on its way",
		file:  "line.go",
		shown: "word: ",
		old:   "first.next.Load() == first && first.p.signal()",
		new:   "first.next.Load() == first && (first.p.signal() || true)",
		right: "sent is cleared before the look, so who has yet to clear it looks after the store; " +
			"that it is taken out of line saves the stores to come from sending tokens in vain",
	},
	{
		name:  "step does not wake those left behind",
		file:  "line.go",
		shown: "word: one goes on to the next, one stays",
		old:   "\t\told.each((*Process).signal)\n",
		new:   "",
	},
	{
		name:  "sleep clears sent before it receives",
		file:  "process.go",
		shown: "word: a waiter and a value that does not last",
		old:   "\tif p.done == nil {\n\t\tp.token.receive()\n",
		new:   "\tp.sent.Store(false)\n\tif p.done == nil {\n\t\tp.token.receive()\n",
	},
	{
		name:  "sleep clears sent only before it receives",
		file:  "process.go",
		shown: "word: a waiter and a value that does not last",
		old:   "\tif p.done == nil {\n\t\tp.token.receive()\n\t} else if !p.token.receiveOr(p.done) {\n\t\treturn false\n\t}\n\tp.sent.Store(false)\n",
		new:   "\tp.sent.Store(false)\n\tif p.done == nil {\n\t\tp.token.receive()\n\t} else if !p.token.receiveOr(p.done) {\n\t\treturn false\n\t}\n",
	},
	{
		name:  "sleep does not clear sent",
		file:  "process.go",
		shown: "word: two waiters and two stores",
		old:   "\tp.sent.Store(false)\n",
		new:   "",
	},
	{
		name:  "who gives up stays in line",
		file:  "process.go",
		shown: "word: ",
		old:   "\t\t\tp.places[0].leave()\n\t\t\tp.places[1].leave()\n",
		new:   "",
		right: "as who has not given up does when its wait is over: a token sent to it lies until it waits again, " +
			"and whoever finds one there takes it out of line",
	},
	{
		name:  "a gate is opened after the look for waiters",
		file:  "word.go",
		shown: "gate: two take a lock",
		old:   "\tg.w.Set(v)\n\tintercepted(Waking, nil)\n\tif g.w.line.first.Load() != nil {\n",
		new:   "\twaits := g.w.line.first.Load() != nil\n\tg.w.Set(v)\n\tif waits {\n",
	},
	{
		name:  "who gives up at a gate does not wake the next",
		file:  "process.go",
		shown: "gate: one opens it, of two that wait one gives up",
		old:   "\t\t\tintercepted(Waking, nil)\n\t\t\tl.wakeOne()\n",
		new:   "",
	},
	{
		name:  "who gives up at a gate wakes before it leaves the line",
		file:  "process.go",
		shown: "gate: one opens it, of two that wait one gives up",
		old:   "\t\t\tq.leaveGate(l)\n\t\t\tintercepted(Waking, nil)\n\t\t\tl.wakeOne()\n",
		new:   "\t\t\tl.wakeOne()\n\t\t\tq.leaveGate(l)\n",
	},
	{
		name:  "who passes a gate stays in line",
		file:  "process.go",
		shown: "gate: two take a lock twice",
		old:   "\t\tif holds(g.Load()) {\n\t\t\tq.leaveGate(l)\n",
		new:   "\t\tif holds(g.Load()) {\n",
	},
	{
		name:  "woken is cleared after the look",
		file:  "process.go",
		shown: "gate: two take a lock twice",
		old:   "\t\tq.woken.Store(false) // before the look: a store after it wakes q anew\n\t\tintercepted(Waking, nil)\n\t\tif holds(g.Load()) {\n\t\t\tq.leaveGate(l)\n\t\t\treturn true\n\t\t}\n",
		new:   "\t\tif holds(g.Load()) {\n\t\t\tq.leaveGate(l)\n\t\t\treturn true\n\t\t}\n\t\tq.woken.Store(false)\n",
	},
	{
		name:  "woken is set after the token",
		file:  "line.go",
		shown: "gate: two take a lock twice",
		old:   "\t\tq.woken.Store(true)\n\t\tintercepted(Waking, nil)\n\t\tq.p.signal()\n",
		new:   "\t\tq.p.signal()\n\t\tq.woken.Store(true)\n",
	},
	{
		name:  "a store to a relay looks for waiters before it writes",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\tr.w.Set(v)\n\tintercepted(Waking, nil)\n\tif first := r.w.line.first.Load(); first != nil {\n",
		new:   "\tfirst := r.w.line.first.Load()\n\tr.w.Set(v)\n\tif first != nil {\n",
	},
	{
		name:  "who waits at relays looks before it stands in line",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\tp.stand(&a.w.line, &b.w.line)\n\t\tintercepted(Waking, nil)\n\t\tif holdsA(a.Load()) || holdsB(b.Load()) {\n\t\t\tp.stand(nil, nil)\n\t\t\treturn true\n\t\t}\n",
		new:   "\t\tif holdsA(a.Load()) || holdsB(b.Load()) {\n\t\t\tp.stand(nil, nil)\n\t\t\treturn true\n\t\t}\n\t\tp.stand(&a.w.line, &b.w.line)\n",
	},
	{
		name:  "the baton is kept by who parks",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\tp.Pass()\n",
		new:   "",
	},
	{
		name:  "the baton is passed on by who has it alone",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\tif lot.due.first.Load() == nil {\n\t\t\treturn\n\t\t}\n",
		new:   "\t\treturn\n",
	},
	{
		name:  "the baton goes round without a token",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\tnext.signal()\n",
		new:   "",
	},
	{
		name:  "who goes on stays among those who are due",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\t\tp.stand(nil, nil)\n\t\t\treturn true\n",
		new:   "\t\t\treturn true\n",
	},
	{
		name:  "who gives up stays among those who are due",
		file:  "relay.go",
		shown: "relay: one waits elsewhere, and gives up",
		old:   "\t\t\tp.stand(nil, nil)\n\t\t\treturn false\n",
		new:   "\t\t\treturn false\n",
	},
	{
		name:  "the baton lies where nobody is due, and is said to be passed",
		file:  "relay.go",
		shown: "relay: two and a lock",
		old:   "\t\tt.baton.Store(nil)\n",
		new:   "",
	},
}

// The exploration is worth something only if it finds what is wrong: each broken
// variant of the source has a run that it shows.
func TestBrokenVariantsLoseWakeUps(t *testing.T) {
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
			write(fmt.Sprintf("v%d/register/%s", i, name), text)
		}
		imports += fmt.Sprintf("import v%d \"example.org/doorway/broken/v%[1]d/register\"\n", i)
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

const scenarios = "parking_scenarios_explore_test.go"
