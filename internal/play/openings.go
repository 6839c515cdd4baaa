package play

import (
	"cmp"
	_ "embed" // the counterexamples
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/doorway/examples/scenarios"
	"example.org/doorway/internal/catalog"
)

// The groups of openings, in the order in which the page has them.
const (
	permissions = "Permissions"
	tokens      = "Tokens"
	others      = "Elections, multicasts, snapshots"
	failing     = "What goes wrong with messages"
	refuted     = "What goes wrong in shared memory"
)

// An example is a run with which to begin.
type example struct {
	name, group, title string

	// caption is what is to be seen in the run; "": the first two sentences of the scenario.
	caption string

	// of is the algorithm of a counterexample; "": the run is the scenario of that name.
	of string

	// begin is after how many choices the run opens: what follows is worth watching.
	begin int
}

// allExamples are those of the lectures, and runs that the checker has found.
var allExamples = []example{
	{
		name: "central", group: permissions, title: "A coordinator",
		caption: "S1 coordinates: S2 asks it and may enter; S3 asks and gets no reply until S2 has left. Each entry takes three messages.",
	},
	{name: "lamport", group: permissions, title: "Lamport: a queue at each node"},
	{name: "ricartagrawala", group: permissions, title: "Ricart and Agrawala: the older request wins"},
	{name: "roucairolcarvalho", group: permissions, title: "Carvalho and Roucairol: permissions that last"},
	{name: "maekawa-circle-resolved", group: permissions, title: "Maekawa: a circle is broken"},
	{
		name: "maekawa", group: permissions, title: "Maekawa: thirteen nodes, quorums of four",
		caption: "S7, S8 and S11 ask at the same time, and of each two the member in common gets the wrong request first: they wait in a circle. S13 inquires of S11, which has failed and relinquishes: so S7 enters, then S8, then S11.",
	},

	{
		name: "suzukikasami", group: tokens, title: "Suzuki and Kasami: the queue in the token", begin: 167,
		caption: "S1 is inside with the token, S3 waits, and S2 asks next. Its request reaches S1 only after S1 has passed the token to S3: so S2 gets the token from S3.",
	},
	{name: "raymond", group: tokens, title: "Raymond: the token in a tree"},
	{
		name: "naimitrehel", group: tokens, title: "Naimi and Trehel: fathers that move",
		caption: "A request follows the fathers to the node that asked last, and all on its way take the requester as their father. S2 enters first; S4 and S5 queue behind it, each as Next of the one before.",
	},
	{name: "singhal", group: tokens, title: "Singhal: asking those that may know"},
	{name: "snepscheut", group: tokens, title: "Van de Snepscheut: the token in a grid"},
	{name: "tokenring", group: tokens, title: "Le Lann: the token on a ring"},

	{name: "changroberts", group: others, title: "Chang and Roberts: the largest number wins"},
	{name: "bully", group: others, title: "Bully: the largest live node wins"},
	{name: "snapshot", group: others, title: "Chandy and Lamport: a snapshot with one token"},
	{name: "multicast-total", group: others, title: "Total order: two replicas agree"},
	{name: "recovery-suzukikasami", group: others, title: "Recovery: a lost token is regenerated"},

	{name: "lamport-unordered", group: failing, title: "Lamport without FIFO links: two inside", begin: 3},
	{name: "ricartagrawala-crash", group: failing, title: "One crash blocks all", begin: 5},
	{name: "ricartagrawala-duplicated", group: failing, title: "A reply that arrives twice: two inside", begin: 13},
	{name: "maekawa-circle", group: failing, title: "Maekawa without INQUIRE: deadlock", begin: 6},
	{
		name: "maekawa-late-failed", group: failing, title: "Maekawa as printed: deadlock", begin: 8,
		caption: "By the printed rules, a request that an older one displaces from a queue is not told FAILED. So S2 does not know that it must wait for S1, and keeps its own lock, which S1 needs.",
	},
	{
		name: "unnamed-replies", group: failing, title: "Replies that name no request: two inside", of: "ricartagrawala/unnamed-replies", begin: 6,
		caption: "S1 withdraws its request and requests again, while two replies are in transit. The next steps deliver both: each counts for whatever request waits.",
	},
	{name: "suzukikasami-stale", group: failing, title: "A request that is over: the token goes astray", begin: 14},
	{
		name: "raymond-still-asked", group: failing, title: "Raymond as sketched: deadlock", begin: 9,
		caption: "Asked stays true when the token has arrived: S2 was served, and S1 has the token back. Now S2 asks again, finds Asked true, and sends nothing.",
	},
	{name: "singhal-printed", group: failing, title: "Singhal as printed: deadlock", begin: 15},

	{
		name: "late-number", group: refuted, title: "The bakery without its atomic step: two inside", of: "bakery/late-number", begin: 9,
		caption: "P0 has read both numbers and not yet written its own; meanwhile P1 has taken a number and entered. Now P0 writes the same number, and ties are decided for P0.",
	},
	{
		name: "turn-first", group: refuted, title: "Peterson with turn before want: two inside", of: "peterson/turn-first", begin: 4,
		caption: "P0 has written turn and is not yet seen to want; P1 wrote turn after it, found that P0 does not want, and entered. P0 goes on: as P1 wrote turn last, it is the turn of P0.",
	},
	{
		name: "maxpos", group: refuted, title: "The bakery with a wrong maximum: two inside", of: "bakery/maxpos", begin: 35,
		caption: "P0 has found that P1 has the largest number, 1, and P2 has the same. Before P0 reads it a second time, P1 leaves and it becomes 0: so P0 takes the number 1 as well, and goes before P2.",
	},
	{
		name: "leaf-first", group: refuted, title: "A tournament left from the leaf up: two inside", of: "tournament/leaf-first", begin: 13,
		caption: "P0 leaves and has lowered its flag at the leaf; P1 climbs past it, raises the flag at the root, for which both stand, and enters. P0 lowers that flag next, and P2 finds the root free.",
	},
	{
		name: "starvation", group: refuted, title: "Lamport's fast lock: a process starves", of: "lamportfast", begin: 2,
		caption: "P0 and P1 find the gate open, and P1 was the last to write x: P0 waits, P1 enters and leaves, and P0 begins anew. The steps from here on lead back to this state, so they can repeat forever.",
	},
}

// counterexamples are the runs of the examples that the checker has found, a line each.
//
//go:embed counterexamples.txt
var counterexamples string

// openings returns the examples that this build has.
func openings() []Opening {
	all := []Opening{}
	for _, e := range allExamples {
		if directives, _ := e.run(); !lacks(directives) {
			all = append(all, e.shown())
		}
	}
	return all
}

// lacks reports whether directives name an algorithm that is wrong, and that this build does not have.
func lacks(directives string) bool { return !catalog.Variants && wrong.MatchString(directives) }

var wrong = regexp.MustCompile(`\b(?:algorithm|lock) [^;]*/`)

// shown returns e as the page lists it.
func (e example) shown() Opening {
	directives, choices := e.run()
	if e.of != "" {
		choices = strings.Join(strings.Split(choices, ".")[:e.begin], ".")
	}
	text := strings.TrimSpace(fmt.Sprintf("opening %s; version 1; %s; run %s", e.name, directives, choices))
	return Opening{Name: e.name, Title: e.title, Caption: e.captioned(), Group: e.group, Text: text}
}

// run returns the run of e: of a scenario up to where it opens, and of a counterexample to its end.
func (e example) run() (directives, choices string) {
	switch {
	case e.of != "":
		return counterexample(e.of)
	case e.begin > 0:
		choices = fmt.Sprintf("s%d", e.begin)
	}
	all, err := read(e.scenario())
	if err != nil {
		panic(err) // it is longer than a page plays
	}
	return strings.Join(without(all, "show", "state", "expect"), "; "), choices
}

// follows returns the choices that follow those made in the run of an opening, the last of them first: they
// are there to go forward by. If the run has become another, there are none.
func (l lead) follows(directives string, made []string) []string {
	k := slices.IndexFunc(allExamples, func(e example) bool { return l.kind == "opening" && e.name == l.name })
	if k < 0 || allExamples[k].of == "" {
		return nil
	}
	of, choices := allExamples[k].run()
	all := strings.Split(choices, ".")
	if of != directives || len(made) > len(all) || !slices.Equal(made, all[:len(made)]) {
		return nil
	}
	rest := all[len(made):]
	slices.Reverse(rest)
	return rest
}

// counterexample returns that of an algorithm.
func counterexample(of string) (directives, choices string) {
	for line := range strings.Lines(counterexamples) {
		if strings.Contains(line, " "+of+";") {
			directives, choices, _ = strings.Cut(strings.TrimSpace(line), "; run ")
		}
	}
	return directives, choices
}

// scenario returns the file of e.
func (e example) scenario() string {
	text, err := scenarios.Files.ReadFile(e.name + ".txt")
	if err != nil {
		panic(err) // it is not embedded
	}
	return string(text)
}

// captioned returns the caption of e.
func (e example) captioned() string {
	if e.caption != "" {
		return e.caption
	}
	text := strings.ReplaceAll(comment.FindString(e.scenario()), "# ", "")
	text = strings.Join(strings.Fields(text), " ")
	return cmp.Or(strings.TrimSpace(twoSentences.FindString(text)), text)
}

var (
	comment      = regexp.MustCompile(`\A(?:# .*\n)+`)                       // the first paragraph of a scenario
	twoSentences = regexp.MustCompile(`^(?:.*?(?:[^A-Z]|[A-Z]{2})[.!] ){2}`) // none of which ends behind an initial
)
