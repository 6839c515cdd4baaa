package host_test

import (
	"fmt"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
)

// A custom host carries out the effects of its nodes: here all messages are in one
// queue.
func ExampleSite() {
	type message struct {
		from messaging.ID
		host.Send
	}
	var sites []*host.Site
	var mailbox []message
	carryOut := func(i messaging.ID) {
		for _, s := range sites[i].Sends {
			mailbox = append(mailbox, message{i, s})
		}
		sites[i].Done()
	}
	for i := range messaging.ID(3) {
		sites = append(sites, host.NewSite(lamport.New, messaging.Start{Self: i, Nodes: 3}, nil))
	}
	for _, i := range []messaging.ID{2, 1} {
		sites[i].Request()
		carryOut(i)
	}
	for len(mailbox) > 0 {
		m := mailbox[0]
		mailbox = mailbox[1:]
		before := sites[m.To].Phase()
		sites[m.To].Receive(m.from, m.Message)
		if now := sites[m.To].Phase(); now != before {
			fmt.Println("node", m.To, "was", before, "and is", now)
		}
		carryOut(m.To)
		if sites[m.To].Phase() == messaging.Inside {
			sites[m.To].Release()
			carryOut(m.To)
		}
	}
	fmt.Println(sites[0].Phase() == messaging.Idle, sites[1].Phase(), sites[2].Phase())
	// Output:
	// node 1 was waiting and is inside
	// node 2 was waiting and is inside
	// true idle idle
}

// An aborted request is withdrawn if the node is a Withdrawer; otherwise it is
// absorbed.
func ExampleSite_Withdraw() {
	for _, a := range []messaging.Algorithm{ricartagrawala.New, roucairolcarvalho.New} {
		site := host.NewSite(a, messaging.Start{Self: 1, Nodes: 2}, nil)
		site.Request()
		waits := site.Phase() == messaging.Waiting
		site.Withdraw()
		_, can := site.Node().(messaging.Withdrawer)
		fmt.Println("waited:", waits, "can withdraw:", can, "is absorbing:", site.Phase() == messaging.Absorbing)
	}
	// Output:
	// waited: true can withdraw: true is absorbing: false
	// waited: true can withdraw: false is absorbing: true
}
