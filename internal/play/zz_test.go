package play

import (
	"fmt"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	p := Open(os.Getenv("RUN"))
	v := p.View(0)
	for _, e := range v.Events { fmt.Println(e.Choice, e.At, e.Text, "|", e.Phase) }
	for _, c := range v.Choices { fmt.Println("  ", c.Do, c.Group, c.Text) }
	fmt.Printf("%+v\n%q made %d kept %d\n%+v\n", v.Verdict, v.Refused, v.Made, v.Kept, v.Goal)
}
