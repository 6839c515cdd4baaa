package catalog_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/refusal"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/node/typename"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/clock/cristian"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast/basic"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// made are the algorithms of transcripts that are not made as in the catalog, by how they are made.
var made = map[string]messaging.Algorithm{
	"berkeley.New(0, {Tick: 10, Every: 4, Wait: 2, Apart: 1h})":       berkeley.New(0, berkeley.Config{Tick: 10, Every: 4, Wait: 2, Apart: time.Hour}),
	"cristian.New(0, {Tick: 10, Every: 100, Least: 15, Drift: 1000})": cristian.New(0, cristian.Config{Tick: 10, Every: 100, Least: 15, Drift: 1000}),
	"cristian.New(0, {Tick: 24h, Every: 1, Drift: 500000})":           cristian.New(0, cristian.Config{Tick: 24 * time.Hour, Every: 1, Drift: 500_000}),
	"extinction.New(line, false)":                                     extinction.New(topology.Line(4), false),
	"extinction.NewPlain(line, false)":                                extinction.NewPlain(topology.Line(4), false),
	"firewire.New(line, 1, 2)":                                        firewire.New(topology.Line(4), 1, 2),
	"firewire.New(pair, 1, 2)":                                        firewire.New(topology.Line(2), 1, 2),
	"firewire.NewByID(pair)":                                          firewire.NewByID(topology.Line(2)),
	"link.Over(basic.New, {Timeout: 1ns, Tick: 1ns, Buffer: 3})":      link.Over(basic.New, link.Config{Timeout: 1, Tick: 1, Buffer: 3}),
	"link.Over(reliable.New(0, 0), {Timeout: 1ns})":                   link.Over(reliable.New(0, 0), link.Config{Timeout: 1}),
	"reliable.New(0, 0)":                                              reliable.New(0, 0),
	"reliable.New(1, 2)":                                              reliable.New(1, 2),
}

// Each file of testdata/systems is a transcript: what nodes of a system do with one message after the other. A section
// is what its heading says; a message is one of its sender, or of the user or a timer of the node itself; and what is
// indented is what the node does then. To write that anew:
//
//	go test ./internal/catalog -run Transcripts -update
func TestSystemsTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/systems/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		s, ok := catalog.FindSystem(strings.TrimSuffix(filepath.Base(file), ".txt"))
		require.True(t, ok, "%s is not of a system", file)
		t.Run(s.Name, func(t *testing.T) {
			text := page.Read(t, file)
			page.Golden(t, file, "go test ./internal/catalog -run Transcripts -update", transcript(t, s, text))
		})
	}
}

// transcript returns text with what the nodes do now.
func transcript(t *testing.T, s catalog.System, text string) string {
	t.Helper()
	var b strings.Builder
	var site *host.Site
	kinds := slices.Clone(s.Kinds)
	for _, other := range catalog.Systems {
		kinds = append(kinds, other.Kinds...)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		b.WriteString(line)
		line = strings.TrimSpace(line)
		first, rest, _ := strings.Cut(line, ": ")
		var act func()
		var id messaging.ID
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.HasPrefix(line, "node "):
			start := messaging.Start{Restarted: strings.Contains(first, ", restarted")}
			_, err := fmt.Sscanf(first, "node %d of %d", &start.Self, &start.Nodes)
			require.NoError(t, err, line)
			a := made[rest]
			if rest == "" {
				a = s.Within(start.Nodes, sim.T)
			}
			require.NotNil(t, a, line)
			site = host.NewSite(a, start, nil)
			act = func() { site.Start() }
		case strings.HasPrefix(line, "down "):
			_, err := fmt.Sscanf(line, "down %d", &id)
			require.NoError(t, err, line)
			act = func() { site.Down(id) }
		default:
			_, err := fmt.Sscan(first, &id)
			require.NoError(t, err, line)
			e, err := parser.ParseExpr(rest)
			require.NoError(t, err, line)
			m := message(t, kinds, e)
			act = func() { site.Receive(id, m) }
		}
		b.WriteString(outcomes(t, site, act))
	}
	return b.String()
}

// outcomes returns what a node does, a line each. One that refuses a message does nothing.
func outcomes(t *testing.T, site *host.Site, act func()) string {
	t.Helper()
	var b strings.Builder
	before := state.Append(nil, site.Node())
	func() {
		defer func() {
			switch r := recover().(type) {
			case nil:
			case *refusal.Error:
				fmt.Fprintf(&b, "\trefused by %s: %s\n", r.Algorithm, r.Why)
				assert.Equal(t, before, state.Append(nil, site.Node()), b.String())
			default:
				panic(r)
			}
		}()
		act()
	}()
	for _, s := range site.Sends {
		fmt.Fprintf(&b, "\tto %d: %s\n", s.To, state.Format(s.Message, nil))
	}
	for _, v := range site.Emits {
		fmt.Fprintf(&b, "\temits %s\n", state.Format(v, nil))
	}
	for _, timer := range site.Timers {
		fmt.Fprintf(&b, "\tafter %v: %s\n", timer.After, state.Format(timer.Message, nil))
	}
	site.Done()
	return b.String()
}

// message returns the message that e is, a composite literal of one of kinds, without the types that are known. If two kinds
// have the same name, the first is meant, unless it has that of its package.
func message(t *testing.T, kinds []messaging.Message, e ast.Expr) messaging.Message {
	t.Helper()
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return types.ExprString(e) // of no kind
	}
	name := types.ExprString(literal.Type)
	k := slices.IndexFunc(kinds, func(k messaging.Message) bool { return strings.HasSuffix("."+typename.Of(k), "."+name) })
	require.GreaterOrEqual(t, k, 0, "no such kind of message: %s", name)
	v := reflect.New(reflect.TypeOf(kinds[k])).Elem()
	fill(t, kinds, v, e)
	return v.Interface()
}

// fill gives v the value of e.
func fill(t *testing.T, kinds []messaging.Message, v reflect.Value, e ast.Expr) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for _, of := range e.(*ast.CompositeLit).Elts {
			pair := of.(*ast.KeyValueExpr)
			fill(t, kinds, v.FieldByName(types.ExprString(pair.Key)), pair.Value)
		}
	case reflect.Slice:
		for _, of := range e.(*ast.CompositeLit).Elts {
			element := reflect.New(v.Type().Elem()).Elem()
			fill(t, kinds, element, of)
			v.Set(reflect.Append(v, element))
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(message(t, kinds, e)))
	default:
		text := types.ExprString(e)
		require.NoError(t, json.Unmarshal([]byte(text), v.Addr().Interface()), text)
	}
}
