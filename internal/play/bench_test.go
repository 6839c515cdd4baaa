package play

import (
	"encoding/json"
	"strings"
	"testing"
)

// long returns a run of 7 nodes with 1,000 events, in which a round of requests is in transit.
func long(b *testing.B) *Play {
	b.Helper()
	const round = "a0.a1.a2.a3.a4.a5.a6"
	p := Open("nodes 7; algorithm ricartagrawala; stay 1; run " + strings.Repeat(round+".s91.", 5) + round + ".s5")
	if v := p.View(0); v.Refused != "" || v.Total < 1000 {
		b.Fatal(v.Total, v.Refused)
	}
	return p
}

// BenchmarkStep is a step after 1,000 events, and what the page then gets.
func BenchmarkStep(b *testing.B) {
	p := long(b)
	first := len(p.made)
	since := p.View(0).Total
	for b.Loop() {
		p.Choose("s1")
		v := p.View(since)
		if _, err := json.Marshal(v); err != nil {
			b.Fatal(err)
		}
		if since = v.Total; len(p.made) == first+40 {
			b.StopTimer()
			p.To(first)
			since = p.View(0).Total
			b.StartTimer()
		}
	}
}

// BenchmarkBack is a step back from there, and what the page then gets.
func BenchmarkBack(b *testing.B) {
	p := long(b)
	last := len(p.made)
	for b.Loop() {
		p.To(last - 1)
		if _, err := json.Marshal(p.View(p.View(0).Total)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		p.To(last)
		b.StartTimer()
	}
}

// BenchmarkOpen opens that run, and what the page then gets.
func BenchmarkOpen(b *testing.B) {
	text := long(b).Text()
	for b.Loop() {
		data, err := json.Marshal(Open(text).View(0))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(data)), "bytes")
	}
}
