// Package typename writes the names of types of messages.
package typename

import (
	"reflect"
	"strings"
)

// Kind returns the name of a type of messages: Request. The algorithms of this module do not export all of
// theirs, and texts have these as if they did.
func Kind(t reflect.Type) string {
	name, pkg := t.Name(), t.PkgPath()
	if name == "" || !strings.HasPrefix(pkg, "example.org/doorway/") || strings.HasSuffix(pkg, "_test") {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Of returns the type of a message: its [Kind], behind its package.
func Of(m any) string {
	t := reflect.TypeOf(m)
	if t == nil {
		return "<nil>"
	}
	return strings.TrimSuffix(t.String(), t.Name()) + Kind(t)
}
