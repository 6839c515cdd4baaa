package play

import (
	"fmt"
	"reflect"
	"strings"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// labels are short forms of the kinds of messages: REQ of REQUEST.
type labels map[string]string

// labelsOf returns the shortest beginnings of the kinds, of at least three letters, that tell them apart.
func labelsOf(kinds []string) labels {
	all := labels{}
	for _, kind := range kinds {
		n := min(3, len(kind))
		for _, other := range kinds {
			for n < len(kind) && other != kind && strings.HasPrefix(other, kind[:n]) {
				n++
			}
		}
		all[kind] = kind[:n]
	}
	return all
}

// of returns a short form of a message: its kind, and its first stamp, node or number.
func (l labels) of(m messaging.Message) string {
	kind := messaging.Kind(m)
	short, known := l[kind]
	if !known {
		short = kind[:min(3, len(kind))]
	}
	v := reflect.Indirect(reflect.ValueOf(m))
	if v.Kind() != reflect.Struct {
		return short
	}
	for k := range v.NumField() {
		if first := brief(v.Field(k)); first != "" {
			return short + " " + first
		}
	}
	return short
}

// brief returns a stamp, node or number; of others "".
func brief(v reflect.Value) string {
	switch of := v.Interface().(type) {
	case messaging.Stamp:
		if of.IsZero() {
			return "-"
		}
		return fmt.Sprint(of.Time)
	case messaging.ID:
		return notation.Node(of)
	case fmt.Stringer:
		return ""
	}
	if v.CanInt() || v.CanUint() {
		return fmt.Sprint(v)
	}
	return ""
}
