package messaging_test

import (
	"fmt"

	"example.org/doorway/messaging"
)

// Vote asks for the vote of the receiver.
type Vote struct{}

// A voter votes once. It would vote again after a crash if it did not keep For.
type voter struct {
	start messaging.Start
	For   messaging.Set `messaging:"durable"`
	Asked int
}

func (v *voter) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, ok := m.(Vote); !ok {
		messaging.Refuse("voter", v.start.Self, from, m, "it is not a message of this algorithm")
	}
	v.Asked++
	if v.For.Len() == 0 {
		v.For.Add(from)
		out.Emit(from)
	}
}

// A node that has crashed starts again with what it declares as durable.
func ExampleSite_Restart() {
	site := messaging.NewSite(func(s messaging.Start) messaging.Node { return &voter{start: s} }, messaging.Start{Nodes: 3}, nil)
	site.Receive(1, Vote{})
	fmt.Println("votes for", site.Emits)
	site.Done()

	site.Restart() // after a crash
	site.Receive(2, Vote{})
	v := site.Node().(*voter)
	fmt.Println("then for", site.Emits, "asked", v.Asked, "restarted", v.start.Restarted)
	// Output:
	// votes for [1]
	// then for [] asked 1 restarted true
}

// A host that must not stop recovers refusals, and nothing else.
func ExampleRefusal() {
	site := messaging.NewSite(func(s messaging.Start) messaging.Node { return &voter{start: s} }, messaging.Start{Nodes: 3}, nil)
	receive := func(from messaging.ID, m messaging.Message) (err error) {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case *messaging.Refusal:
				err = r
			default:
				panic(r)
			}
		}()
		site.Receive(from, m)
		return nil
	}
	fmt.Println(receive(1, Vote{}))
	fmt.Println(receive(2, "vote"))
	// Output:
	// <nil>
	// voter: node 0 got string vote from node 2: it is not a message of this algorithm
}
