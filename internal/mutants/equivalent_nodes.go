package mutants

import "maps"

// Open says, by [Mutant.Key], what would kill the mutants that survive and are not known to
// be equivalent. The test fails if they are more than one in twenty.
var Open = map[string]string{}

func init() { maps.Copy(Reasons, reasonsOfNodes) }

var reasonsOfNodes = map[string]string{
	"naimitrehel node.Receive: drop n.Token = true": forTheInvariant,
}

const (
	forTheInvariant = "no rule reads it: the invariant does, and what the node rejects"
)
