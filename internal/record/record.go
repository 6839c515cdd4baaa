// Package record writes and reads what was measured, as JSON that people can compare.
package record

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// arrays matches arrays of numbers that encoding/json has spread over lines.
var arrays = regexp.MustCompile(`\[[\s\d.e+,-]*\]`)

// Encode returns v as JSON, with each array of numbers on one line.
func Encode(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, err
	}
	data = arrays.ReplaceAllFunc(data, func(a []byte) []byte { return []byte(strings.Join(strings.Fields(string(a)), " ")) })
	return append(data, '\n'), nil
}

// Samples are measured values. As JSON they have six digits, and null instead of a value
// that is not finite; null is read as NaN.
type Samples []float64

// MarshalJSON implements json.Marshaler.
func (s Samples) MarshalJSON() ([]byte, error) {
	all := make([]any, len(s)) // nil if not finite
	for k, v := range s {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			all[k] = json.Number(strconv.FormatFloat(v, 'g', 6, 64))
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Samples) UnmarshalJSON(data []byte) error {
	var all []*float64
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*s = slices.Repeat(Samples{math.NaN()}, len(all))
	for k, v := range all {
		if v != nil {
			(*s)[k] = *v
		}
	}
	return nil
}
