// Package scenarios embeds the scenarios with which the page opens, so that they are written once.
package scenarios

import "embed"

// Files has some of the scenarios of this directory.
//
//go:embed central.txt lamport.txt ricartagrawala.txt roucairolcarvalho.txt maekawa-circle-resolved.txt maekawa.txt
//go:embed suzukikasami.txt raymond.txt naimitrehel.txt singhal.txt snepscheut.txt tokenring.txt
//go:embed changroberts.txt bully.txt snapshot.txt multicast-total.txt recovery-suzukikasami.txt
//go:embed lamport-unordered.txt ricartagrawala-crash.txt ricartagrawala-duplicated.txt maekawa-circle.txt
//go:embed maekawa-late-failed.txt suzukikasami-stale.txt raymond-still-asked.txt singhal-printed.txt
var Files embed.FS
