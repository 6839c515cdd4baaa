package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// allSections lists what can be shown, in the order of the output.
var allSections = []string{"events", "entries", "emits", "messages", "delays", "report"}

func (o *observer) output(r Report, failure string) string {
	var parts []string
	for _, section := range allSections {
		if slices.Contains(o.sections, section) {
			parts = append(parts, o.section(section, r))
		}
	}
	parts = slices.DeleteFunc(append(parts, o.states(), failure), func(part string) bool { return part == "" })
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "\n\n") + "\n"
}

func (o *observer) section(name string, r Report) string {
	switch name {
	case "events":
		return strings.TrimSuffix(o.trace.String(), "\n")
	case "entries":
		return strings.Join(o.entries(), "\n")
	case "emits":
		return strings.Join(o.emits(r), "\n")
	case "messages":
		return o.messages()
	case "delays":
		return r.delayTable()
	default:
		return r.String()
	}
}

func (o *observer) entries() []string {
	var lines []string
	for _, r := range o.shown(o.entered) {
		lines = append(lines, r.String())
	}
	for _, r := range o.shown(o.requests) {
		if !r.entered {
			lines = append(lines, r.String())
		}
	}
	return lines
}

// shown returns the requests that were made late enough to be shown.
func (o *observer) shown(requests []*request) []*request {
	return slices.DeleteFunc(slices.Clone(requests), func(r *request) bool { return r.asked < o.From })
}

func (r *request) String() string {
	s := name(r.node) + " " + strings.Join(r.actions, ", ")
	switch {
	case r.over:
		return s
	case r.entered:
		return s + ", is still inside"
	}
	return s + ", still waits"
}

func (o *observer) messages() string {
	s := fmt.Sprintf("%d messages", o.sent)
	if o.sent == 1 {
		s = "1 message"
	}
	if entries := len(o.shown(o.entered)); entries > 0 {
		s += fmt.Sprintf(", %s per entry", decimal(o.sent, entries))
	}
	for _, c := range o.kinds {
		s += fmt.Sprintf("\n%6d %s", c.sent, c.kind)
	}
	return s
}

// decimal returns a/b with at most three digits after the point.
func decimal(a, b int) string {
	thousandths := (2000*a + b) / (2 * b)
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)
}
