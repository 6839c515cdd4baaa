package notation

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

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
