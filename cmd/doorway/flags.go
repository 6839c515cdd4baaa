package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"
)

// A whole is a flag for an integer between bounds.
type whole struct {
	value    *int
	min, max int
}

func wholeFlag(flags *flag.FlagSet, name string, value, low, high int, usage string) *int {
	flags.Var(&whole{&value, low, high}, name, usage)
	return &value
}

func (w *whole) String() string {
	if w.value == nil || *w.value == 0 { // 0 stands for a default that the usage explains
		return ""
	}
	return strconv.Itoa(*w.value)
}

func (w *whole) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < w.min || v > w.max {
		return fmt.Errorf("it is an integer from %d to %d", w.min, w.max)
	}
	*w.value = v
	return nil
}

// A span is a flag for a duration between bounds.
type span struct {
	value    *time.Duration
	min, max time.Duration
}

func spanFlag(flags *flag.FlagSet, name string, value, low, high time.Duration, usage string) *time.Duration {
	flags.Var(&span{&value, low, high}, name, usage)
	return &value
}

func (s *span) String() string {
	if s.value == nil || *s.value == 0 {
		return ""
	}
	return short(*s.value)
}

func (s *span) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil || v < s.min || v > s.max {
		return fmt.Errorf("it is a duration from %s to %s, such as %s", short(s.min), short(s.max), example(s.min))
	}
	*s.value = v
	return nil
}

// example is a duration as one would write it, no shorter than least.
func example(least time.Duration) string {
	if least >= time.Millisecond {
		return "5s"
	}
	return "100ns"
}

// short is d without the zeros that its String has at the end: 1h, not 1h0m0s.
func short(d time.Duration) string {
	switch {
	case d != 0 && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d != 0 && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

// A fraction is a flag for a number from 0 to 1.
type fraction struct{ value *float64 }

func fractionFlag(flags *flag.FlagSet, name string, usage string) *float64 {
	value := new(float64)
	flags.Var(&fraction{value}, name, usage)
	return value
}

func (f *fraction) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.FormatFloat(*f.value, 'g', -1, 64)
}

func (f *fraction) Set(s string) error {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("it is a number from 0 to 1, such as 0.1")
	}
	*f.value = v
	return nil
}
