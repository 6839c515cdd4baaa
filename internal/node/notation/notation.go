// Package notation writes the nodes, times, messages and events of a run as the lectures
// do: S1, 2.5, REQUEST(1,S2), "S1 gets REQUEST(1,S2) from S2".
package notation

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// T is the unit of time of a simulation, package sim's T.
const T time.Duration = 1_000_000

// events says what happens, by action, of the sender (or the node), the receiver and the message.
var events = map[string]string{
	action.Requested:  "%[1]s asks",
	action.Entered:    "%[1]s enters",
	action.Left:       "%[1]s leaves",
	action.GaveUp:     "%[1]s gives up",
	action.Passed:     "%[1]s enters for the request it gave up, and leaves",
	action.Sent:       "%[1]s sends %[3]s to %[2]s",
	action.Delivered:  "%[2]s gets %[3]s from %[1]s",
	action.Lost:       "%[3]s from %[1]s to %[2]s is lost",
	action.Duplicated: "%[3]s from %[1]s to %[2]s is duplicated",
	action.Expired:    "%[2]s gets %[3]s from its timer",
	action.Input:      "%[1]s gets %[3]s from its user",
	action.Missed:     "%[1]s, which is down, loses %[3]s from its user",
	action.Emitted:    "%[1]s emits %[3]s",
	action.Started:    "%[1]s starts",
	action.Crashed:    "%[1]s crashes",
	action.Restarted:  "%[1]s starts again",
	action.Told:       "%[2]s learns of the crash of %[1]s",
}

// Event returns what happens: S1 enters.
func Event(e messaging.Event) string {
	if format, known := events[e.Action]; known {
		return fmt.Sprintf(format, Node(e.From), Node(e.To), Message(e.Message))
	}
	return e.Action
}

// Message returns m as the lectures write it: REQUEST(1,S2). A stamp is (1,S2), a
// node S2, a set of nodes {S1 S2}; - is the zero stamp or a negative node number.
// Fields of other types are preceded by their names. A string is quoted unless it is a single word.
func Message(m messaging.Message) string {
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
	stringerType = reflect.TypeFor[fmt.Stringer]()
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
	if text := v.String(); v.Kind() == reflect.String && !v.Type().Implements(stringerType) && strings.ContainsAny(text, wide) {
		return strconv.Quote(text)
	}
	return fmt.Sprint(v)
}

// wide are the characters of a string that could be taken for others than its own.
const wide = " ,;#\"'`()[]{}\t\n"

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

// Parse returns the message that [Message] writes as text: one of kinds, whose fields are
// nodes, stamps, numbers, durations, booleans and strings without commas, quotes, spaces, # and ;. Otherwise it
// returns an error that says what was expected.
func Parse(text string, kinds []messaging.Message) (messaging.Message, error) {
	kind, rest, _ := strings.Cut(text, "(")
	var known []string
	for _, k := range kinds {
		if known = append(known, messaging.Kind(k)); known[len(known)-1] != kind {
			continue
		}
		v := reflect.New(reflect.TypeOf(k)).Elem()
		if err := parseFields(v, strings.TrimSuffix(rest, ")")); err != nil {
			return nil, err
		}
		m := v.Interface()
		if again := Message(m); again != text {
			return nil, fmt.Errorf("expected %s, found %s", again, text)
		}
		return m, nil
	}
	return nil, fmt.Errorf("expected a message, one of %s, found %s", strings.Join(known, ", "), kind)
}

// parseFields sets the fields of v.
func parseFields(v reflect.Value, text string) error {
	if v.Kind() != reflect.Struct {
		return fmt.Errorf("expected a kind that is a struct, found %v", v.Type())
	}
	for k := range v.NumField() {
		f, t := v.Field(k), v.Type().Field(k)
		what := fmt.Sprintf("%s, of type %v", t.Name, t.Type)
		if t.Type == stampType && strings.HasPrefix(text, "(") || v.NumField() == 1 && t.Type == stampType && text != "-" {
			var inside string
			inside, text, _ = strings.Cut(strings.TrimPrefix(text, "("), ")")
			text = strings.TrimPrefix(text, ",")
			time, id, _ := strings.Cut(inside, ",")
			if !setField(f.Field(0), time) || !setField(f.Field(1), id) {
				return fmt.Errorf("expected %s such as (3,S1), found %q", what, inside)
			}
			continue
		}
		var word string
		word, text, _ = strings.Cut(text, ",")
		if t.Type != idType && t.Type != stampType {
			word = strings.TrimPrefix(word, t.Name+":")
		}
		if !setField(f, word) {
			return fmt.Errorf("expected %s, found %q", what, word)
		}
	}
	return nil
}

// setField sets f to what word says, and reports whether it can.
func setField(f reflect.Value, word string) bool {
	switch {
	case f.Type() == idType:
		if word == "-" {
			f.SetInt(-1)
			return true
		}
		n, err := strconv.ParseInt(strings.TrimPrefix(word, "S"), 10, 32)
		f.SetInt(n - 1)
		return err == nil && n >= 1
	case f.Type() == stampType:
		return word == "-"
	case f.Type() == durationType:
		d, err := time.ParseDuration(word)
		f.SetInt(int64(d))
		return err == nil
	case f.Kind() == reflect.String:
		f.SetString(word)
		return !strings.ContainsAny(word, "#;") // which end a directive of a scenario
	case f.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(word)
		f.SetBool(b)
		return err == nil
	case f.CanInt():
		n, err := strconv.ParseInt(word, 10, f.Type().Bits())
		f.SetInt(n)
		return err == nil
	case f.CanUint():
		n, err := strconv.ParseUint(word, 10, f.Type().Bits())
		f.SetUint(n)
		return err == nil
	}
	return false
}

// Directives returns the directives of a line of a scenario, without a comment.
func Directives(line string) []string {
	for at := range len(line) {
		if line[at] == '#' && !ordinalAt(line, at) {
			line = line[:at]
			break
		}
	}
	return strings.Split(line, ";")
}

// ordinalAt reports whether the # there is that of an ordinal, such as #2 after another word,
// and begins no comment.
func ordinalAt(line string, at int) bool {
	before, after := line[:at], line[at+1:]
	return strings.TrimSpace(before) != "" && strings.TrimRight(before, " \t") != before &&
		after != "" && after[0] >= '0' && after[0] <= '9'
}
