package multicast_test

import (
	"fmt"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/basic"
	"example.org/doorway/messaging/multicast/total"
	"example.org/doorway/messaging/sim"
)

// The account of A. S. Tanenbaum's textbook has a replica at each of two nodes, and holds 1000 at
// first. The user of node 0 adds 100, that of node 1 adds 1 % interest, at the same time. In
// basic multicast each replica gets its own update first. In total order both are the same.
func Example() {
	for _, p := range []messaging.Protocol{basic.Protocol, total.Protocol} {
		a, err := p.New(2)
		if err != nil {
			fmt.Println(err)
			return
		}
		balances := []int{1000, 1000}
		if _, err := sim.Run(sim.Config{
			Algorithm: a, Nodes: 2,
			Inputs: []sim.Input{
				{Node: 0, Message: multicast.Send{Body: "+100"}},
				{Node: 1, Message: multicast.Send{Body: "+1%"}},
			},
			Results: p.Results,
			Observe: func(e messaging.Event) {
				if d, ok := e.Message.(multicast.Delivered); ok {
					if d.Body == "+100" {
						balances[e.From] += 100
					} else {
						balances[e.From] += balances[e.From] / 100
					}
				}
			},
		}); err != nil {
			fmt.Println(err)
		}
		fmt.Println(p.Name, balances)
	}
	// Output:
	// basic [1111 1110]
	// total [1111 1111]
}

// check explores a multicast in which the users of the first nodes send a message each, at any time.
func check(c explore.NodesConfig, senders int) {
	c.Inputs = make([][]messaging.Message, c.Nodes)
	for i := range senders {
		c.Inputs[i] = []messaging.Message{multicast.Send{Body: string(rune('a' + i))}}
	}
	r, err := explore.CheckNodes(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Results.Status)
	if h := r.Results.History; h != nil {
		fmt.Print(h)
	}
}

// Over links that lose nothing, basic multicast is reliable as long as no node crashes. Here node 0
// crashes when its message has reached node 1 and not node 2.
func ExampleReliable() {
	c := explore.NodesConfig{
		New: link.Over(basic.New, link.Config{Timeout: 1}), Nodes: 3,
		Losses: 1, Results: multicast.Reliable,
	}
	check(c, 1)
	c.Crashes = 1
	check(c, 1)
	// Output:
	// holds
	// fails
	// the results are wrong: S3 has not delivered message 1 of S1, which S2 has delivered
	// S1 starts
	// S2 starts
	// S3 starts
	// S1 gets SEND(Body:a) from its user
	// S1 emits SENT(Number:1,Body:a)
	// S1 emits DELIVERED(S1,Number:1,Body:a)
	// S1 crashes
	// S2 gets FRAME(Of:1,To:1,Number:1,Seen:0,Message:DATA(Number:1,Body:a)) from S1
	// S2 emits DELIVERED(S1,Number:1,Body:a)
	// S3 does not get FRAME(Of:1,To:1,Number:1,Seen:0,Message:DATA(Number:1,Body:a)) from S1: it is lost
	// S2 gets TICK from its timer
}

// On FIFO links, basic multicast delivers in FIFO order.
func ExampleFIFO() {
	check(explore.NodesConfig{New: basic.New, Nodes: 3, Results: multicast.FIFO}, 2)
	// Output:
	// holds
}

// Node 1 answers a with b, and node 2 gets b first: basic multicast is not causal.
func ExampleCausal() {
	check(explore.NodesConfig{New: basic.New, Nodes: 3, Results: multicast.Causal}, 2)
	// Output:
	// fails
	// the results are wrong: S3 delivers message 1 of S2 before message 1 of S1, which S2 had delivered when it sent it
	// S1 gets SEND(Body:a) from its user
	// S1 emits SENT(Number:1,Body:a)
	// S1 emits DELIVERED(S1,Number:1,Body:a)
	// S2 gets DATA(Number:1,Body:a) from S1
	// S2 emits DELIVERED(S1,Number:1,Body:a)
	// S2 gets SEND(Body:b) from its user
	// S2 emits SENT(Number:1,Body:b)
	// S2 emits DELIVERED(S2,Number:1,Body:b)
	// S3 gets DATA(Number:1,Body:b) from S2
	// S3 emits DELIVERED(S2,Number:1,Body:b)
}

// Each node delivers its own message first: basic multicast has no total order.
func ExampleTotal() {
	check(explore.NodesConfig{New: basic.New, Nodes: 2, Results: multicast.Total}, 2)
	check(explore.NodesConfig{New: total.New, Nodes: 2, Results: multicast.Total}, 2)
	// Output:
	// fails
	// the results are wrong: S1 delivers message 1 of S1 where S2 delivers message 1 of S2
	// S1 gets SEND(Body:a) from its user
	// S1 emits SENT(Number:1,Body:a)
	// S1 emits DELIVERED(S1,Number:1,Body:a)
	// S2 gets SEND(Body:b) from its user
	// S2 emits SENT(Number:1,Body:b)
	// S2 emits DELIVERED(S2,Number:1,Body:b)
	// holds
}

// In a Cluster, a user sees its message sent when the node has taken it, and delivered when it is due.
func ExampleSent() {
	delivered := make(chan multicast.Delivered, 3)
	c := cluster.New(3, total.New, cluster.Observe(func(e messaging.Event) {
		switch m := e.Message.(type) {
		case multicast.Sent:
			fmt.Printf("node %d sends its message %d: %s\n", e.From, m.Number, m.Body)
		case multicast.Delivered:
			delivered <- m
		}
	}))
	defer c.Close()
	if err := c.Input(1, multicast.Send{Body: "hello"}); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		fmt.Println((<-delivered).Body)
	}
	// Output:
	// node 1 sends its message 1: hello
	// hello
	// hello
	// hello
}
