package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// A Shape is an element of a picture, with what is inside.
type Shape struct {
	Name   string
	At     map[string]string // its attributes
	Text   string            // of it and of what is inside
	Inside []*Shape
	Down   float64 // how far groups around it move it down

	begins int // where its text begins in that of the picture
}

// Read returns all elements of a picture, in the order of their beginnings. It returns an error
// unless the picture is well-formed.
func Read(picture []byte) (all []*Shape, err error) {
	var open []*Shape
	var text strings.Builder // of the whole picture, so far
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			s := &Shape{Name: token.Name.Local, At: map[string]string{}, begins: text.Len()}
			for _, a := range token.Attr {
				s.At[a.Name.Local] = a.Value
			}
			for _, o := range open {
				o.Inside, s.Down = append(o.Inside, s), o.Down
			}
			if s.Name == "g" && s.At["transform"] != "" {
				s.Down += s.Numbers("transform")[1]
			}
			open, all = append(open, s), append(all, s)
		case xml.EndElement:
			s := open[len(open)-1]
			s.Text = text.String()[s.begins:]
			open = open[:len(open)-1]
		case xml.CharData:
			text.Write(token)
		}
	}
}

// Number returns the first number in an attribute.
func (s *Shape) Number(attribute string) float64 { return s.Numbers(attribute)[0] }

// Numbers returns the numbers in an attribute.
func (s *Shape) Numbers(attribute string) (all []float64) {
	for f := range strings.FieldsFuncSeq(s.At[attribute], func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != '-' }) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(fmt.Sprintf("%s of %+v: %v", attribute, s, err))
		}
		all = append(all, v)
	}
	return all
}

// Box returns the box of a text, which is as wide as in the widest of the fonts that a reader may have.
func (s *Shape) Box() Box {
	size := 12.0
	if s.At["font-size"] != "" {
		size = s.Number("font-size")
	}
	x, y, wide := s.Number("x"), s.Down+s.Number("y"), size*ems(s.Text, s.At["font-family"] == "")
	switch s.At["text-anchor"] {
	case "middle":
		x -= wide / 2
	case "end":
		x -= wide
	}
	return Box{x, y - 0.8*size, x + wide, y + 0.25*size}
}

// ems returns how wide a text is, relative to its size.
func ems(text string, mono bool) (sum float64) {
	for _, r := range text {
		switch {
		case r > unicode.MaxASCII:
			sum++
		case mono:
			sum += 0.617
		case strings.ContainsRune("mwMW", r):
			sum += 1.11
		case unicode.IsUpper(r):
			sum += 0.85
		case strings.ContainsRune("ijl.,:;'|! ", r):
			sum += 0.45
		default:
			sum += 0.73
		}
	}
	return sum
}

// Crowded returns a sentence for each text of a picture that is at its edge, or on another.
func Crowded(picture []*Shape) (all []string) {
	const margin = 5
	size := picture[0].Numbers("viewBox")
	var texts []*Shape
	for _, s := range picture {
		if s.Name != "text" {
			continue
		}
		b := s.Box()
		if b.Left < margin || b.Top < margin || b.Right > size[2]-margin || b.Bottom > size[3]-margin {
			all = append(all, fmt.Sprintf("%q is at the edge: %v", s.Text, b))
		}
		for _, o := range texts {
			if b.Meets(o.Box()) {
				all = append(all, fmt.Sprintf("%q is on %q: %v, %v", s.Text, o.Text, b, o.Box()))
			}
		}
		texts = append(texts, s)
	}
	return all
}
