package mutants

import "maps"

// Open says, by [Mutant.Key], what would kill the mutants that survive and are not known to
// be equivalent. The test fails if they are more than one in twenty.
var Open = map[string]string{
	"ricartagrawala acknowledged.Release: drop n.forgetSilence()": "" +
		"the number of messages if a node withdraws while others are silent, and asks no more: it repeats what is over",
	"ricartagrawala acknowledged.Release: keep p.Waited in p.Deferred, p.Late, p.Waited = 0, p.Deferred, 0": "" +
		"the loss of two late grants in a row to the same node: it is removed an interval or more too early",
	"caosinghal node.locked: always next.Version <= version": "" +
		"the delay if a Transfer overtakes the Locked before it: it is forgotten, and the lock goes back to its arbiter",
	"raymond ordered.assignOrAsk: always len(n.Passed) < len(n.Queue)":      passedGrows,
	"raymond ordered.assignOrAsk: <= for < in len(n.Passed) < len(n.Queue)": passedGrows,
	"singhal site.Receive: drop s.SV[s.start.Self] = executing": "" +
		"the number of messages to a node that is inside: it asks each new requester for the token that it has",
	"hierarchy starting.Start: drop l.settle()": "" +
		"a level whose nodes send to themselves when they start: the library has none",
}

const passedGrows = "a bound on the state: each look at the queue appends a 0 to Passed, and no node is behind it"

func init() { maps.Copy(Reasons, reasonsOfNodes) }

var reasonsOfNodes = map[string]string{
	"central New: always start.Self == start.Holder":        "no other node than the coordinator gets what needs these slices",
	"central node.Release: drop n.Phase = messaging.Idle":   notWaiting,
	"central node.Receive: drop n.Phase = messaging.Inside": "a request gets one Reply, so the node cannot enter twice by it",
	"central node.asked: not 1 in r.Time - 1":               "r itself is neither queued nor granted yet",
	"central node.over: drop !n.Holder.IsZero() from n.Holder.ID == r.ID && n.Holder.Time <= r.Time && !n.Holder.IsZero()": "" +
		"without a holder the queue is empty, and next does nothing",
	"central node.next: never len(n.Queue) == 1": "it only reuses the array",

	"lamport node.Receive: drop n.Phase == messaging.Waiting from n.suppresses && n.Phase == messaging.Waiting": "" +
		"a request of this node that is over was sent as well, and is younger than the one that it serves as a Reply to",
	"lamport node.observe: ignore n.Last[at.ID] in max(n.Last[at.ID], at.Time)": "on a FIFO link, stamps grow",

	"ricartagrawala acknowledged.Request: drop n.forgetSilence()":        "Release has done it",
	"ricartagrawala acknowledged.Receive: always m.To == n.Mine":         "who answers an earlier request is not silent either",
	"ricartagrawala node.enterIfAgreed: drop n.Phase = messaging.Inside": olderThanAll,
	"intervals node.enterIfAgreed: drop n.Phase = messaging.Inside":      olderThanAll,

	"roucairolcarvalho withdrawing.Receive: drop ok from ok && n.past(m.To)":                               noStamp,
	"roucairolcarvalho node.past: drop r.Time != 0 from r.ID == n.start.Self && r.Time != 0":               noStamp,
	"roucairolcarvalho node.past: drop r == n.Mine from r == n.Mine && n.Phase == messaging.Idle":          "no reply names a later request than Mine",
	"maekawa node.Release: keep n.Asked in n.Phase, n.Asked = messaging.Idle, n.Asked[:0]":                 "Request sets it anew, and nothing reads it before",
	"caosinghal node.locked: < for <= in next.Version <= version":                                          oneVersion,
	"caosinghal node.transfer: <= for < in next.Version < m.Version":                                       oneVersion,
	"tokenring node.enter: drop n.Phase = messaging.Inside":                                                notIdle,
	"huntedring node.enter: drop n.Phase = messaging.Inside":                                               notIdle,
	"huntedring node.onward: keep n.Swept in n.Swept, n.Goal, n.Demand = false, none, none":                setByToken,
	"huntedring node.onward: keep n.Goal in n.Swept, n.Goal, n.Demand = false, none, none":                 setByToken,
	"suzukikasami node.pass: keep n.LN in n.HasToken, n.LN, n.Q = false, nil, nil":                         withoutToken,
	"suzukikasami node.pass: keep n.Q in n.HasToken, n.LN, n.Q = false, nil, nil":                          withoutToken,
	"ricartagrawala1983 node.pass: <= for < in k < n.start.Nodes":                                          "the last is the node itself, whose own request is served: R = L",
	"ricartagrawala1983 node.pass: keep n.L in n.HasToken, n.L = false, nil":                               withoutToken,
	"echo node.pass: keep n.LN in n.HasToken, n.LN, n.Q = false, nil, nil":                                 withoutToken,
	"echo node.pass: keep n.Q in n.HasToken, n.LN, n.Q = false, nil, nil":                                  withoutToken,
	"raymond merged.Receive: keep n.Asked in n.Holder, n.Asked = n.self, false":                            "it is set when the token is passed on, and not read before",
	"raymond ordered.drop: drop n.Passed = slices.Delete(n.Passed, k, k+1)":                                passedByNone,
	"raymond ordered.drop: not 1 in k+1":                                                                   passedByNone,
	"raymond ordered.lift: > for >= in k >= 0":                                                             "if this node is the first of the queue, it is also the first that is not behind",
	"snepscheut node.Request: drop n.Phase = messaging.Waiting":                                            notInside,
	"snepscheut node.Withdraw: drop n.Phase = messaging.Idle":                                              notInside,
	"snepscheut node.away: >= for > in cmp.Or(cmp.Compare(n.Known[k], n.Stamp), cmp.Compare(n.distance, …": "no node is its own neighbor, so the comparison is never 0",
	"naimitrehel node.Receive: drop n.Token = true":                                                        "no rule reads it: the invariant does, and what the node rejects",
	"singhal site.Release: drop s.SV[i] = none":                                                            "the loop copies it from TSV[i]",
	"singhal site.Release: keep s.TSN[i] in s.TSV[i], s.TSN[i] = none, s.SN[i]":                            "the loop copies it from SN[i], which is larger",
	"singhal site.Release: keep s.SN[j] in s.SV[j], s.SN[j] = s.TSV[j], s.TSN[j]": "" +
		"SN[j] is only compared with numbers of the token, which are at least as large",
	"hierarchy newNode: always n.Among != nil":                                                       "nil is no Starter",
	"hierarchy node.Release: drop n.Phase = messaging.Idle":                                          "no rule reads the phase: what the node rejects does",
	"hierarchy node.Receive: drop n.Phase = messaging.Inside":                                        "no rule reads the phase: what the node rejects does",
	"hierarchy node.Receive: ignore n.Asked[at.position] in max(n.Asked[at.position], m.Number) (2)": "Own has the number of the latest request",
	"hierarchy node.serve: drop n.Cluster = messaging.Waiting":                                       "it is compared with inside alone",
}

const (
	notWaiting   = "the phase is compared with waiting alone"
	notIdle      = "the phase is then waiting, which is not idle either; and no second token comes"
	notInside    = "the phase is compared with inside alone"
	olderThanAll = "inside, the node is then waiting with a request that is older than all that can still count: " +
		"each node has agreed to it, and its later requests are younger"
	noStamp      = "no request has the zero stamp, and no reply names it"
	oneVersion   = "an arbiter gives each version to one Transfer, and the next Locked to the same request has a later one"
	setByToken   = "both are none if the token rests here; and else the next token sets them before they are read"
	withoutToken = "without the token it is not read, and the next token sets it"
	passedByNone = "no node that asked after this one was passed over yet, since the token is elsewhere: the places from k on hold 0"
)
