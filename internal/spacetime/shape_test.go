package spacetime_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A shape is an element of a picture, with what is inside.
type shape struct {
	name   string
	at     map[string]string // its attributes
	text   string            // of it and of what is inside
	inside []*shape
}

func (s *shape) number(attribute string) float64 { return s.numbers(attribute)[0] }

// numbers returns the numbers in an attribute.
func (s *shape) numbers(attribute string) (all []float64) {
	for f := range strings.FieldsFuncSeq(s.at[attribute], func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != '-' }) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(fmt.Sprintf("%s of %+v: %v", attribute, s, err))
		}
		all = append(all, v)
	}
	return all
}
