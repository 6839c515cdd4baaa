//go:build ignore

// Package overlay replaces this constraint by doorway_variants. With any other but ignore, go mod tidy
// would look for the packages, which are in no directory, in each module that imports this one.

package catalog

import (
	flip "example.org/doorway/internal/catalog/variant/bakery/flip"
	latenumber "example.org/doorway/internal/catalog/variant/bakery/latenumber"
	maxpos "example.org/doorway/internal/catalog/variant/bakery/maxpos"
	withdraw "example.org/doorway/internal/catalog/variant/bakery/withdraw"
	eager "example.org/doorway/internal/catalog/variant/caosinghal/eager"
	earlyrelease "example.org/doorway/internal/catalog/variant/caosinghal/earlyrelease"
	leavequeue "example.org/doorway/internal/catalog/variant/graunkethakkar/justleave"
	justleave "example.org/doorway/internal/catalog/variant/lamportfast/justleave"
	reopen "example.org/doorway/internal/catalog/variant/lamportfast/reopen"
	wantfirst "example.org/doorway/internal/catalog/variant/lamportfast/wantfirst"
	latefailed "example.org/doorway/internal/catalog/variant/maekawa/latefailed"
	lockonly "example.org/doorway/internal/catalog/variant/maekawa/lockonly"
	nodeadlockhandling "example.org/doorway/internal/catalog/variant/maekawa/nodeadlockhandling"
	lingering "example.org/doorway/internal/catalog/variant/mcs/justleave"
	latehead "example.org/doorway/internal/catalog/variant/mcs/latehead"
	nextkept "example.org/doorway/internal/catalog/variant/naimitrehel/nextkept"
	turnfirst "example.org/doorway/internal/catalog/variant/peterson/turnfirst"
	stillasked "example.org/doorway/internal/catalog/variant/raymond/stillasked"
	deferredties "example.org/doorway/internal/catalog/variant/ricartagrawala/deferredties"
	notiebreak "example.org/doorway/internal/catalog/variant/ricartagrawala/notiebreak"
	unnamedreplies "example.org/doorway/internal/catalog/variant/ricartagrawala/unnamedreplies"
	naive "example.org/doorway/internal/catalog/variant/roucairolcarvalho/naive"
	crosswise "example.org/doorway/internal/catalog/variant/sanders/printed"
	hintless "example.org/doorway/internal/catalog/variant/singhal/printed"
	unstamped "example.org/doorway/internal/catalog/variant/snepscheut/unstamped"
	stale "example.org/doorway/internal/catalog/variant/suzukikasami/stale"
	leaffirst "example.org/doorway/internal/catalog/variant/tournament/leaffirst"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/mutex"
)

// Variants reports whether this build has the wrong variants. Their packages are in no
// directory of the tree: see package overlay.
const Variants = true

var wrongLocks = map[string]func(n int) mutex.Abortable{
	"peterson/turn-first":        func(int) mutex.Abortable { return turnfirst.New() },
	"tournament/leaf-first":      func(n int) mutex.Abortable { return leaffirst.New(n) },
	"lamportfast/want-first":     func(n int) mutex.Abortable { return wantfirst.New(n) },
	"bakery/late-number":         func(n int) mutex.Abortable { return latenumber.NewSimple(n) },
	"bakery/maxpos":              func(n int) mutex.Abortable { return maxpos.NewClassic(n) },
	"mcs/late-head":              func(n int) mutex.Abortable { return latehead.New(n) },
	"mcs/just-leave":             func(n int) mutex.Abortable { return lingering.New(n) },
	"lamportfast/just-leave":     func(n int) mutex.Abortable { return justleave.New(n) },
	"lamportfast/reopen":         func(n int) mutex.Abortable { return reopen.New(n) },
	"graunkethakkar/just-leave":  func(n int) mutex.Abortable { return leavequeue.New(n) },
	"bakery-blackwhite/withdraw": func(n int) mutex.Abortable { return withdraw.NewBlackWhite(n) },
	"bakery-blackwhite/flip":     func(n int) mutex.Abortable { return flip.NewBlackWhite(n) },
}

var wrongProtocols = []Protocol{
	named("roucairolcarvalho/naive", naive.Withdrawing),
	withQuorums(named("maekawa/no-deadlock-handling", nodeadlockhandling.Protocol), nodeadlockhandling.New),
	withQuorums(named("maekawa/late-failed", latefailed.Protocol), latefailed.New),
	withQuorums(named("maekawa/lock-only", lockonly.Protocol), lockonly.New),
	withStructure(named("sanders/printed", crosswise.Protocol), func(s sanders.Structure) messaging.Algorithm {
		return crosswise.New(crosswise.Structure(s))
	}),
	withQuorums(named("caosinghal/eager", eager.Protocol), eager.New),
	withQuorums(named("caosinghal/early-release", earlyrelease.Protocol), earlyrelease.New),
	named("ricartagrawala/no-tie-break", notiebreak.Protocol),
	named("ricartagrawala/deferred-ties", deferredties.Protocol),
	named("ricartagrawala/unnamed-replies", unnamedreplies.Protocol),
	over(named("raymond/still-asked", stillasked.Protocol), paths.CheckTree, stillasked.New),
	named("suzukikasami/stale", stale.Protocol),
	named("naimitrehel/next-kept", nextkept.Protocol),
	named("singhal/printed", hintless.Protocol),
	over(named("snepscheut/unstamped", unstamped.Protocol), paths.CheckUndirected, unstamped.New),
}

// named returns the row of a wrong protocol with that name.
func named(name string, p messaging.Protocol) Protocol {
	row := protocol(p, "", "", Costs{})
	row.Name = name
	return row
}
