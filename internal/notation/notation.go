// Package notation writes the nodes, times, messages and events of a run as the lectures
// do: S1, 2.5, REQUEST(1,S2), "S1 gets REQUEST(1,S2) from S2".
package notation

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// T is the unit of time of a simulation, package sim's T.
const T time.Duration = 1_000_000

// Event returns what happens: S1 enters.
func Event(e messaging.Event) string {
	from, to := Node(e.From), Node(e.To)
	switch e.Action {
	case action.Requested:
		return from + " asks"
	case action.Entered:
		return from + " enters"
	case action.Left:
		return from + " leaves"
	case action.GaveUp:
		return from + " gives up"
	case action.Passed:
		return from + " enters for the request it gave up, and leaves"
	case action.Sent:
		return fmt.Sprintf("%s sends %s to %s", from, Message(e.Message), to)
	case action.Delivered:
		return fmt.Sprintf("%s gets %s from %s", to, Message(e.Message), from)
	case action.Lost:
		return fmt.Sprintf("%s from %s to %s is lost", Message(e.Message), from, to)
	case action.Duplicated:
		return fmt.Sprintf("%s from %s to %s is duplicated", Message(e.Message), from, to)
	case action.Expired:
		return fmt.Sprintf("%s gets %s from its timer", to, Message(e.Message))
	case action.Input:
		return fmt.Sprintf("%s gets %s from its user", from, Message(e.Message))
	case action.Emitted:
		return fmt.Sprintf("%s emits %s", from, Message(e.Message))
	case action.Started:
		return from + " starts"
	case action.Crashed:
		return from + " crashes"
	case action.Restarted:
		return from + " starts again"
	case action.Told:
		return fmt.Sprintf("%s learns of the crash of %s", to, from)
	}
	return e.Action
}

// Written stands for a message of a type that another program has: how that one writes it.
type Written struct{ Kind, Text string }

// Kind returns the name of the kind of m, as [messaging.Kind] does.
func Kind(m messaging.Message) string {
	if w, ok := m.(Written); ok {
		return w.Kind
	}
	return messaging.Kind(m)
}

// Message returns m as the lectures write it: REQUEST(1,S2). A stamp is (1,S2), a
// node S2, a set of nodes {S1 S2}; - is the zero stamp or a negative node number.
// Fields of other types are preceded by their names.
func Message(m messaging.Message) string {
	if w, ok := m.(Written); ok {
		return w.Text
	}
	v := reflect.ValueOf(m)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() != reflect.Struct || v.Type() == stampType:
		return valueText(v)
	case v.NumField() == 0:
		return messaging.Kind(m)
	case v.NumField() == 1 && v.Type().Field(0).Type == stampType && !v.Field(0).IsZero():
		return messaging.Kind(m) + valueText(v.Field(0)) // with one pair of parentheses
	}
	return messaging.Kind(m) + "(" + fields(v) + ")"
}

var (
	idType    = reflect.TypeFor[messaging.ID]()
	stampType = reflect.TypeFor[messaging.Stamp]()
	setType   = reflect.TypeFor[messaging.Set]()

	durationType = reflect.TypeFor[time.Duration]()
)

func fields(v reflect.Value) string {
	var parts []string
	for k := range v.NumField() {
		part := valueText(v.Field(k))
		if t := v.Type().Field(k); t.Type != idType && t.Type != stampType {
			part = t.Name + ":" + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

func valueText(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	switch v.Type() {
	case idType:
		return Node(messaging.ID(v.Int()))
	case stampType:
		if v.IsZero() {
			return "-"
		}
		return fmt.Sprintf("(%d,%s)", v.Field(0).Uint(), Node(messaging.ID(v.Field(1).Int())))
	case setType:
		var ids []string
		for w := range v.Len() {
			for b := range 64 {
				if v.Index(w).Uint()>>b&1 != 0 {
					ids = append(ids, Node(messaging.ID(w<<6+b)))
				}
			}
		}
		return "{" + strings.Join(ids, " ") + "}"
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		elements := make([]string, v.Len())
		for k := range elements {
			elements[k] = valueText(v.Index(k))
		}
		return "[" + strings.Join(elements, " ") + "]"
	case reflect.Struct:
		return "{" + fields(v) + "}"
	case reflect.Interface: // a message in another
		if !v.IsNil() {
			return Message(v.Interface())
		}
		return "-"
	}
	return fmt.Sprintf("%v", v)
}

// Node returns the name of a node: S1 is node 0. A negative number is none: -.
func Node(id messaging.ID) string {
	if id < 0 {
		return "-"
	}
	return "S" + strconv.Itoa(int(id)+1)
}

// Time returns d in units of T, with as many digits as necessary.
func Time(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign = "-"
	}
	whole, ticks := d/T, d%T
	if ticks == 0 {
		return strconv.FormatInt(int64(whole), 10)
	}
	digits := fmt.Sprintf("%06d", ticks.Abs())
	return fmt.Sprintf("%s%d.%s", sign, whole.Abs(), strings.TrimRight(digits, "0"))
}
