package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// A value is that of a flag.
type value struct {
	set func(string) error
	get func() any
}

func (v value) Set(s string) error { return v.set(s) }
func (v value) Get() any           { return v.get() }
func (v value) String() string     { return fmt.Sprint(v.get()) }

// limited returns a value within bounds. The rule says which there are.
func limited[T cmp.Ordered](to *T, low, high T, parse func(string) (T, error), rule string) value {
	set := func(s string) error {
		if v, err := parse(s); err == nil && low <= v && v <= high { // NaN is not
			*to = v
			return nil
		}
		return errors.New(rule)
	}
	return value{set, func() any { return *to }}
}

// add gives c a flag. The name of its value stands in the usage in backquotes.
func (c *command) add(name, usage string, v cli.Value, other ...string) {
	c.Flags = append(c.Flags, &cli.GenericFlag{Name: name, Usage: usage, Value: v, Aliases: other})
}

func (c *command) whole(to *int, name string, low, high int, usage string) {
	rule := fmt.Sprintf("it is an integer from %d to %d", low, high)
	c.add(name, usage, limited(to, low, high, strconv.Atoi, rule))
}

// short takes away the zeros at the end of a duration: 1h for 1h0m0s.
var short = strings.NewReplacer("h0m0s", "h", "m0s", "m")

// span gives c a flag for a duration, such as the example.
func (c *command) span(to *time.Duration, name string, low, high time.Duration, example, usage string) {
	rule := fmt.Sprintf("it is a duration from %v to %s, such as %s", low, short.Replace(high.String()), example)
	c.add(name, usage, limited(to, low, high, time.ParseDuration, rule))
}

func (c *command) fraction(to *float64, name, usage string, other ...string) {
	parse := func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
	c.add(name, usage, limited(to, 0, 1, parse, "it is a number from 0 to 1, such as 0.1"), other...)
}

func (c *command) is(to *bool, name, usage string, other ...string) {
	c.Flags = append(c.Flags, &cli.BoolFlag{Name: name, Usage: usage, Destination: to, Aliases: other})
}

func (c *command) text(to *string, name, usage string) {
	c.Flags = append(c.Flags, &cli.StringFlag{Name: name, Usage: usage, Destination: to})
}

func (c *command) file(to *string, name, usage string) {
	named := func(s string) error {
		if s == "" {
			return errors.New("it is the name of a file")
		}
		return nil
	}
	c.Flags = append(c.Flags, &cli.StringFlag{Name: name, Usage: usage, Destination: to, TakesFile: true, Validator: named})
}

// json gives c the flag for output to machines, which is in the streams.
func (c *command) json() { c.is(new(bool), "json", `write JSON, as "doorway help json" explains`) }
