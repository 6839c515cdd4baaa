package play

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
)

// A challenge is a goal that a run reaches or not. Whoever plays chooses what happens; any run counts that is one of
// its algorithm, of its size, and keeps its limits.
type challenge struct {
	name, title, goal, hint string

	run  string // its directives, as in the text of a run
	most int    // choices

	// may has the faults that may happen, each once, by their letters in the choices of a run; other faults may not.
	may string

	judge func(p *played) (solved bool, why string)
}

// A played is a run up to now, as a challenge judges it.
type played struct {
	*View
	of     string   // its directives, as in challenge.run
	made   []string // the choices
	events []Event
	walk   *explore.Walk // of a lock
}

// challenges returns those that this build has.
func challenges() []Opening {
	all := []Opening{}
	for _, c := range allChallenges {
		if !lacks(c.run) {
			all = append(all, c.shown())
		}
	}
	return all
}

// shown returns c as the page lists it.
func (c challenge) shown() Opening {
	return Opening{
		Name: c.name, Title: c.title, Caption: c.goal,
		Text: fmt.Sprintf("challenge %s; version 1; %s; run", c.name, c.run),
	}
}

// challenge returns the one that is played; nil: none is.
func (p *Play) challenge() *challenge {
	k := slices.IndexFunc(allChallenges, func(c challenge) bool { return p.lead.kind == "challenge" && c.name == p.lead.name })
	if k < 0 {
		return nil
	}
	return &allChallenges[k]
}

// goal returns that of the challenge that is played, judged on what v shows; nil: none is. Once solved, it stays so however
// the run goes on.
func (p *Play) goal(v *View) *Goal {
	c := p.challenge()
	if c == nil {
		return nil
	}
	if p.solved > 0 && p.solved < len(p.made) {
		return &Goal{Name: c.name, Text: c.goal, Hint: c.hint, Solved: true, Why: fmt.Sprintf("After choice %d.", p.solved)}
	}
	now := &played{View: v, of: p.of, made: p.made, events: p.game.events()}
	if l, is := p.game.(*lock); is {
		now.walk = l.walk
	}
	return c.on(now)
}

// on returns the goal of c, judged on a run.
func (c challenge) on(p *played) *Goal {
	g := &Goal{Name: c.name, Text: c.goal, Hint: c.hint}
	if g.Why = c.breaks(p); g.Why == "" {
		g.Solved, g.Why = c.judge(p)
	}
	return g
}

// breaks says which rule of the challenge the run breaks; "": none.
func (c challenge) breaks(p *played) string {
	if p.of != c.run {
		return fmt.Sprintf("This challenge is about another run: %s.", c.run)
	}
	for _, f := range faults {
		most := strings.Count(c.may, f.letter)
		switch n := p.times(f.letter); {
		case n <= most:
		case most == 0:
			return fmt.Sprintf("Not allowed in this challenge: %s.", f.words)
		default:
			return fmt.Sprintf("Allowed only once in this challenge: %s.", f.words)
		}
	}
	if len(p.made) > c.most {
		return fmt.Sprintf("At most %d choices are allowed, and these are %d.", c.most, len(p.made))
	}
	return ""
}

// times returns how many choices begin with a letter.
func (p *played) times(letter string) (n int) {
	for _, do := range p.made {
		if strings.HasPrefix(do, letter) {
			n++
		}
	}
	return n
}

// faults are the choices that are faults, or requests withdrawn, by the letters with which they begin.
var faults = []struct{ letter, words string }{
	{"x", "a message is lost"},
	{"y", "a message is duplicated"},
	{"k", "a node crashes"},
	{"g", "a request is withdrawn"},
}

// allChallenges are the easy ones first.
var allChallenges = []challenge{
	{
		name: "crash-holder", title: "Crash the one that matters",
		goal: "One node crashes, and another waits forever.",
		hint: "Whoever has the token takes it along. S1 has it at first.",
		run:  "nodes 3; algorithm suzukikasami", most: 40, may: "k", judge: isStuck,
	},
	{
		name: "one-loss", title: "Lose one message",
		goal: "One message is lost, and a node waits forever.",
		hint: "A node waits for a REPLY of each other node, and asks each only once.",
		run:  "nodes 3; algorithm ricartagrawala", most: 40, may: "x", judge: isStuck,
	},
	{
		name: "let-two-in", title: "Let two in",
		goal: "Both processes are inside at the same time.",
		hint: "A process reads all numbers, and only then writes its own. What may happen in between? On equal numbers, the process with the smaller index goes first.",
		run:  "processes 2; lock bakery/late-number; cap 4", most: 60, judge: twoInside,
	},
	{
		name: "turn-first", title: "Turn before want",
		goal: "Both processes are inside at the same time.",
		hint: "Peterson's process first says that it wants, and then gives the turn away. Here it is the other way round: stop one of them between the two.",
		run:  "processes 2; lock peterson/turn-first", most: 40, judge: twoInside,
	},
	{
		name: "out-of-order", title: "Lamport without FIFO links",
		goal: "Both nodes are inside at the same time, and no message is lost.",
		hint: "A REPLY tells that no older request is in transit behind it. It may overtake one.",
		run:  "nodes 2; algorithm lamport; unordered", most: 40, judge: twoInside,
	},
	{
		name: "circle", title: "Maekawa without INQUIRE",
		goal: "Nodes wait forever, and no message is lost.",
		hint: "Each node locks itself first, and then asks the next.",
		run:  "nodes 3; algorithm maekawa/no-deadlock-handling", most: 40, judge: isStuck,
	},
	{
		name: "overtake", title: "Overtake twice",
		goal: "While a process waits whose doorway is complete, another enters twice.",
		hint: "A tournament is starvation-free, but not FIFO: whoever leaves may be back before another gets on.",
		run:  "processes 3; lock tournament", most: 80, judge: overtaken,
	},
	{
		name: "ticket", title: "The numbers of the bakery grow",
		goal: "A process takes the number 3, although there are only two processes.",
		hint: "A number is one more than the largest: never let both be in their remainder sections.",
		run:  "processes 2; lock bakery-classic; cap 4", most: 60, judge: ticket,
	},
	{
		name: "unnamed-replies", title: "Replies that name no request",
		goal: "Both nodes are inside at the same time; one request may be withdrawn.",
		hint: "A REPLY may still be in transit when its request is withdrawn. Then the node requests again.",
		run:  "nodes 2; algorithm ricartagrawala/unnamed-replies", most: 40, may: "g", judge: twoInside,
	},
	{
		name: "still-asked", title: "Raymond as sketched",
		goal: "A node waits forever, and no message is lost.",
		hint: "S2 never forgets that it has asked: get the token to it and back.",
		run:  "nodes 2; algorithm raymond/still-asked", most: 40, judge: isStuck,
	},
	{
		name: "stale-token", title: "A request that is over",
		goal: "The token comes to a node that has not asked for it.",
		hint: "Keep one REQUEST in transit until its request is served and the token has gone on.",
		run:  "nodes 3; algorithm suzukikasami/stale", most: 60, judge: astray,
	},
	{
		name: "leaf-first", title: "A tournament left from the leaf up",
		goal: "Two processes are inside at the same time.",
		hint: "P0 and P1 share a leaf and so a flag at the root. Whoever leaves lowers the leaf's flag first, and the root's later.",
		run:  "processes 3; lock tournament/leaf-first", most: 80, judge: twoInside,
	},
	{
		name: "starve", title: "Starve process 0",
		goal: "A run that can repeat forever: it comes back to a state, P0 waits all the time, and P1 enters in between. " +
			"It must be weakly fair: a process that could always take a step takes one.",
		hint: "P0 waits until y = 0. Let P1 set it again before P0 looks, and let P0 look then.",
		run:  "processes 2; lock lamportfast", most: 60, judge: starved,
	},
	{
		name: "dearest", title: "The most messages",
		goal: fmt.Sprintf("Each of three nodes has entered once, and %d messages were sent: no run takes more.", dearest),
		hint: "INQUIRE and RELINQUISH come on top if the older request arrives later. FAILED needs one more waiter.",
		run:  "nodes 3; algorithm maekawa", most: 80, judge: dear,
	},
}
