package sim

import (
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// version is that of the text of a run: of the directives of a scenario, the choices and
// the numbers of what is pending.
const version = "1"

// MarshalText returns the run so far as a line of text: the directives of a scenario, with
// semicolons between them, of which the last has the choices made.
//
//	version 1; nodes 3; algorithm ricartagrawala; rules 5f3a9c21; run a0.a2.s5
//
// [ReadScenario] reads it, and [Scenario.Start] repeats the run: with the same events on
// every machine. With other lines and the expected output it is the file of a scenario. A
// Config that these directives cannot express is an error that names the field.
//
// The rules are a checksum of the algorithm: its messages and states in a fixed run. The
// name of the algorithm is Config.Name.
func (r *Simulation) MarshalText() ([]byte, error) {
	if r.directives == "" {
		text, err := directivesOf(r.c, r.algorithm())
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		r.directives = text
	}
	if r.rules == "" {
		r.rules = rules(r.c)
	}
	choices := make([]string, len(r.choices))
	for k, c := range r.choices {
		choices[k] = c.String()
	}
	text := fmt.Sprintf("version %s; %s; rules %s; run %s", version, r.directives, r.rules, strings.Join(choices, "."))
	return []byte(strings.TrimSpace(text)), nil
}

// algorithm returns the name of the algorithm.
func (r *Simulation) algorithm() string {
	if r.c.Name != "" {
		return r.c.Name
	}
	t := reflect.TypeOf(layer.Innermost(r.run.Sites[0].Node()))
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.PkgPath() == "" {
		return "unnamed"
	}
	return path.Base(t.PkgPath())
}

// directivesOf returns c as the directives of a scenario on one line.
func directivesOf(c Config, name string) (string, error) {
	if strings.ContainsAny(name, ";#") || len(strings.Fields(name)) != 1 {
		return "", fmt.Errorf("Config.Name is %q, which the text of a run cannot express: it must be one word without ; and #", name)
	}
	text := strings.Join(appendDirectives(nil, c, name), "; ")
	s := &Scenario{name: "the text of the run", Directives: text + "; run"}
	if err := newParser(s).parse(); err != nil {
		return "", err
	}
	s.config.fill()
	for k, in := range c.Inputs {
		var err error
		if in.Message, err = notation.Parse(notation.Message(in.Message), []messaging.Message{in.Message}); err != nil {
			return "", fmt.Errorf("Config.Inputs[%d] is one that the text of a run cannot express: %w", k, err)
		}
		s.config.Inputs = append(s.config.Inputs, in)
	}
	if field := differing(c, s.config); field != "" {
		return "", errors.New("Config." + field + " is one that the text of a run cannot express: scenarios have no such directive")
	}
	return text, nil
}

// differing returns the first field in which a and b differ, of those that determine what
// happens.
func differing(a, b Config) string {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	for k := range v.NumField() {
		switch name := v.Type().Field(k).Name; name {
		case "Algorithm", "Name", "Observe", "Invariant", "Results", "Order", "Pairs":
		default:
			f, g := v.Field(k), w.Field(k)
			if same := f.IsZero() && g.IsZero() || reflect.DeepEqual(f.Interface(), g.Interface()); !same {
				return name
			}
		}
	}
	return ""
}

// appendDirectives appends the directives for what of c they can express.
func appendDirectives(all []string, c Config, algorithm string) []string {
	addIf := func(differs bool, format string, args ...any) {
		if differs {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add := func(format string, args ...any) { addIf(true, format, args...) }
	add("nodes %d", c.Nodes)
	add("algorithm %s", algorithm)
	addIf(c.Holder != 0, "holder %s", name(c.Holder))
	addIf(c.Latency != Constant(T), "latency %s", c.Latency.text())
	for i, d := range c.Pace {
		addIf(d != T, "pace %s %s", name(messaging.ID(i)), inT(d))
	}
	for _, e := range c.Except {
		switch {
		case e.Lose:
			add("lose %s", messagesOf(e))
		case e.Double:
			add("double %s%s", messagesOf(e), e.Latency.after(" "))
		default:
			add("latency %s %s", messagesOf(e), e.Latency.text())
		}
	}
	addIf(c.Unordered, "unordered")
	addIf(c.Loss != 0, "loss %s", probabilityText(c.Loss))
	addIf(c.Duplication != 0, "duplication %s", probabilityText(c.Duplication))
	addIf(c.GiveUp != 0, "give up %s after %s", probabilityText(c.GiveUp), c.GiveUpAfter.text())
	addIf(c.Perpetual, "perpetual")
	addIf(c.Patience != defaultPatience, "patience %s", inT(c.Patience))
	switch load := c.Load.(type) {
	case LowLoad:
		add("low load %d entries%s%s%s",
			c.Entries, optional(load.Random, " at random"), load.Gap.after(" gap "), by(load.Users))
	case HighLoad:
		add("high load %d entries%s%s", c.Entries, load.Think.after(" think "), by(load.Users))
	case Script:
		for _, q := range load {
			add("at %s %s asks%s%s", inT(q.At), name(q.Node),
				optional(q.Stay != 0, " and stays "+inT(q.Stay)), optional(q.GiveUp != 0, " and gives up at "+inT(q.GiveUp)))
		}
	}
	for _, in := range c.Inputs {
		add("at %s %s gets %s", inT(in.At), name(in.Node), notation.Message(in.Message))
	}
	addIf(c.Stay.shape != unset && (c.Load == nil || c.Stay != Constant(T)), "stay %s", c.Stay.text())
	for _, crash := range c.Crashes {
		restarts := optional(crash.Restart != 0, " and restarts at "+inT(crash.Restart))
		add("at %s %s crashes%s", inT(crash.At), name(crash.Node), restarts)
	}
	addIf(c.Detection.shape != unset, "detect %s", c.Detection.text())
	addIf(c.Seed != 0, "seed %d", c.Seed)
	addIf(c.Until != 0, "until %s", inT(c.Until))
	return all
}

// optional returns the text if it is given.
func optional(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// after returns the text behind those words, if the distribution is set.
func (d Distribution) after(words string) string {
	return optional(d.shape != unset, words+d.text())
}

func probabilityText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func by(users []messaging.ID) string {
	return optional(users != nil, " by "+strings.Join(namesOf(users), " "))
}

// Trace returns a function for [Config.Observe] that writes each event to w as a
// line: the time in T, then the event. The nodes are S1 to Sn, as in the lectures; S1
// is node 0.
//
//	0       S3 asks
//	0       S3 sends REQUEST(1,S3) to S1
//	1       S1 gets REQUEST(1,S3) from S3
//
// Errors of w are ignored.
func Trace(w io.Writer) func(messaging.Event) {
	return func(e messaging.Event) { _, _ = fmt.Fprintf(w, "%-7s %s\n", inT(e.At), notation.Event(e)) }
}

func name(id messaging.ID) string { return notation.Node(id) }

func namesOf(ids []messaging.ID) []string {
	all := make([]string, len(ids))
	for k, id := range ids {
		all[k] = name(id)
	}
	return all
}

// inT returns d in units of T, with as many digits as necessary.
func inT(d time.Duration) string { return notation.Time(d) }
