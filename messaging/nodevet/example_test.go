package nodevet_test

import (
	"fmt"

	"example.org/doorway/messaging/nodevet"
)

// In the test of a protocol, the directory is ".".
func ExampleCheck() {
	fmt.Println(nodevet.Check("../permission/ricartagrawala"))
	// Output: <nil>
}
