package notation

import (
	"regexp"
	"strconv"
	"strings"

	"example.org/doorway/messaging"
)

// The forms in which errors name nodes by number.
var (
	numbered    = regexp.MustCompile(`\bnodes? [0-9]{1,9}(?: and [0-9]{1,9})?\b|\bthe nodes are 0 to [0-9]{1,9}\b|\bit has links to \[[0-9 ]+\]`)
	wholeNumber = regexp.MustCompile(`[0-9]+`)
)

// Named returns the text with nodes named as in runs where it calls them "node 0" or "nodes 0 and 1", and the first that
// it names so.
func Named(text string) (named string, first []messaging.ID) { return Renamed(text, Node) }

// Renamed is Named with these names.
func Renamed(text string, name func(messaging.ID) string) (renamed string, first []messaging.ID) {
	renamed = numbered.ReplaceAllStringFunc(text, func(part string) string {
		part, ids := numbers(part, name)
		switch {
		case strings.HasPrefix(part, "the"):
			return part
		case strings.HasPrefix(part, "it"):
			return strings.NewReplacer("[", "{", "]", "}").Replace(part)
		case first == nil:
			first = ids
		}
		_, part, _ = strings.Cut(part, " ")
		return part
	})
	return renamed, first
}

// Set returns nodes as a set: {S1 S3}.
func Set(nodes []messaging.ID) string {
	var names []string
	for _, i := range nodes {
		names = append(names, Node(i))
	}
	return "{" + strings.Join(names, " ") + "}"
}

// Numbers returns the text with each number replaced by the name of the node of that number.
func Numbers(text string) string {
	text, _ = numbers(text, Node)
	return text
}

func numbers(text string, name func(messaging.ID) string) (renamed string, nodes []messaging.ID) {
	renamed = wholeNumber.ReplaceAllStringFunc(text, func(digits string) string {
		n, err := strconv.ParseInt(digits, 10, 31)
		if err != nil {
			return digits
		}
		nodes = append(nodes, messaging.ID(n))
		return name(messaging.ID(n))
	})
	return renamed, nodes
}
