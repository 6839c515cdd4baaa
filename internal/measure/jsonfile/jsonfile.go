// Package jsonfile writes and reads measurements as JSON files that people can compare.
package jsonfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// within matches where encoding/json breaks the line within a row, an element of a field of v:
// deeper than the row, at its end, and around numbers.
var within = regexp.MustCompile(`\n {3,}|\n {2}([\]}\d-])|(\d)\n (\])`)

// Encode returns v as JSON, with each row on one line: each element of an array that is a field.
func Encode(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, err
	}
	return append(within.ReplaceAll(data, []byte("$2 $1$3")), '\n'), nil
}

// Write writes v to a file, as Encode returns it.
func Write(file string, v any) error {
	data, err := Encode(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// Read reads into v what Write wrote.
func Read(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return nil
}

// WriteAll writes what is drawn from a record: files by their names in dir.
func WriteAll(dir string, files map[string][]byte) error {
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644)); err != nil {
			return err
		}
	}
	return nil
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
