package wire_test

import (
	"fmt"
	"time"

	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A request goes from one process to another, and something else arrives.
func Example() {
	sender, err := wire.New(ricartagrawala.Protocol)
	if err != nil {
		fmt.Println(err)
	}
	data := sender.Append(nil, ricartagrawala.Request{Of: messaging.Stamp{Time: 7, ID: 2}})
	fmt.Printf("% x\n", data)

	receiver, err := wire.New(ricartagrawala.Protocol)
	if err != nil {
		fmt.Println(err)
	}
	m, err := receiver.Decode(data)
	fmt.Println(messaging.Kind(m), m, err)
	_, err = receiver.Decode([]byte("GET / HTTP/1.1"))
	fmt.Println(err)
	// Output:
	// 01 01 07 04
	// REQUEST {{7 2}} <nil>
	// wire: version 71 of the encoding: this is version 1
}

// Processes that encode messages in different ways have different fingerprints: these are told
// before the first message is sent.
func ExampleCodec_Fingerprint() {
	for _, p := range []messaging.Protocol{
		ricartagrawala.Protocol,
		link.Of(ricartagrawala.Protocol, link.Config{Timeout: time.Second}),
		{Name: "ricartagrawala", Kinds: []messaging.Message{ricartagrawala.Reply{}, ricartagrawala.Request{}}}, // in another order
	} {
		codec, err := wire.New(p)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(codec.Fingerprint())
	}
	// Output:
	// ricartagrawala-28c27b7e77b0bbbf
	// link-ricartagrawala-5276c58c13e10553
	// ricartagrawala-76f214e136704d6c
}
