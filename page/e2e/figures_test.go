package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

// report reports the quartiles of what was measured, in ms.
func report(b *testing.B, name string, times []float64) {
	b.Helper()
	slices.Sort(times)
	for i, quartile := range []string{"q1", "median", "q3"} {
		b.ReportMetric(times[(len(times)-1)*(i+1)/4], name+"-"+quartile+"-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSize measures the file.
func BenchmarkSize(b *testing.B) {
	info, err := os.Stat(file)
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size())/1e6, "MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReady measures from the start of a navigation until the page can be used, when the browser has opened
// it before.
func BenchmarkReady(b *testing.B) {
	p := newTab(b)
	for _, text := range []string{"", "version 1; nodes 5; algorithm maekawa; run a0.a1.s10", "version 1; processes 2; lock peterson; run 0.1"} {
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "version 1; "), ";")
		b.Run("run="+name, func(b *testing.B) {
			p.load(text)
			var times []float64
			for b.Loop() {
				p.do(chromedp.Navigate("about:blank"))
				p.do(chromedp.Navigate(address(text)))
				times = append(times, eval[float64](p, `new Promise(done => {
					const look = () => document.body.dataset.state === "ready" ? done(performance.now()) : setTimeout(look, 2);
					look();
				})`))
			}
			report(b, "ready", times)
		})
	}
}

// BenchmarkOpen measures how long it takes to open each algorithm in a page, to what is drawn; of the slowest ones it says
// which they are.
func BenchmarkOpen(b *testing.B) {
	p := newTab(b)
	p.load("")
	var times []float64
	for b.Loop() {
		for _, a := range ask[play.Catalog](p, map[string]any{"do": "list"}).Algorithms {
			took := eval[float64](p, fmt.Sprintf(`new Promise(done => {
				addEventListener("hashchange", () => done(performance.now() - from), {once: true}); // behind the listener of the page
				const from = performance.now();
				location.hash = %s;
			})`, js("#"+usual(a))))
			if took > 500 {
				b.Logf("%s: %.0f ms", a.Name, took)
			}
			times = append(times, took)
		}
	}
	report(b, "open", times)
	b.ReportMetric(times[len(times)-1], "slowest-ms")
}

// BenchmarkStep measures a step by its button: the script with style and layout; the main thread, which has paint and the address
// too; and until the frame is drawn, which waits for the screen, 60 times a second.
func BenchmarkStep(b *testing.B) {
	for _, nodes := range []int{7, 13} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			p := newTab(b)
			p.do(command(performance.Enable, performance.EnableParams{}))
			p.load("")
			p.load(p.busy(nodes, 1000))
			require.GreaterOrEqual(b, p.view().Total, 1000)
			var script, frame, thread []float64
			for b.Loop() {
				before := p.mainThread()
				took := eval[[]float64](p, `new Promise(done => requestAnimationFrame(() => {
					const from = performance.now();
					document.querySelector("#step").click();
					document.body.getBoundingClientRect();
					const script = performance.now() - from;
					requestAnimationFrame(() => {
						const channel = new MessageChannel();
						channel.port1.onmessage = () => done([script, performance.now() - from]);
						channel.port2.postMessage(0);
					});
				}))`)
				script, frame = append(script, took[0]), append(frame, took[1])
				thread = append(thread, p.mainThread()-before)
			}
			report(b, "script", script)
			report(b, "frame", frame)
			report(b, "thread", thread)
			b.ReportMetric(float64(p.view().Total), "events")
		})
	}
}

// busy returns a run in which all nodes ask again and again, until there are so many events. Then all have asked.
func (p *tab) busy(nodes, events int) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`(() => {
		const ask = request => JSON.parse(doorway.call(JSON.stringify({since: 1e6, ...request})));
		let view = ask({do: "open", text: "version 1; nodes %d; algorithm ricartagrawala"});
		for (let i = 0; view.total < %d || view.choices.some(c => /^[al]/.test(c.do)); i++) {
			const user = view.choices.filter(c => /^[al]/.test(c.do));
			view = ask({do: "choose", choices: user.length > 0 ? user[i %% user.length].do : view.choices.find(c => c.group === "next").do});
		}
		return ask({do: "text"}).text;
	})()`, nodes, events))
}

// mainThread is how long the page's thread has been busy, in ms.
func (p *tab) mainThread() float64 {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	got, err := chromedp.Call(ctx, performance.GetMetrics, struct{}{})
	require.NoError(p, err)
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value * 1000
		}
	}
	require.FailNow(p, "the browser does not say how long its thread is busy")
	return 0
}

// BenchmarkFrames counts the frames of a page while its Worker checks for 10 s.
func BenchmarkFrames(b *testing.B) {
	for _, load := range []string{"idle", "check"} {
		b.Run("load="+load, func(b *testing.B) {
			p := newTab(b)
			p.load("version 1; nodes 4; algorithm ricartagrawala; run a0.a1.s20") // more than a million states
			var rates, longest []float64
			for b.Loop() {
				if load == "check" {
					p.click("#check", 1)
					p.until(`!document.querySelector("#cancel").hidden`)
				}
				got := within[[]float64](p, patience+10*time.Second, `new Promise(done => {
					let frames = 0, longest = 0, from, last;
					requestAnimationFrame(function count(now) {
						from ??= now;
						longest = Math.max(longest, now - (last ?? now));
						last = now;
						if (now - from >= 10000) return done([frames / (now - from) * 1000, longest]);
						frames++;
						requestAnimationFrame(count);
					});
				})`)
				rates, longest = append(rates, got[0]), append(longest, got[1])
				if load == "check" {
					require.False(b, eval[bool](p, `document.querySelector("#cancel").hidden`), "the check was over before")
					p.click("#cancel", 1)
				}
			}
			slices.Sort(rates)
			slices.Sort(longest)
			b.ReportMetric(rates[len(rates)/2], "frames/s")
			b.ReportMetric(longest[len(longest)/2], "longest-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkCheck measures a check of every schedule by its button, to the verdicts.
func BenchmarkCheck(b *testing.B) {
	for _, text := range []string{
		"version 1; nodes 3; algorithm ricartagrawala",
		"version 1; processes 3; lock tournament",
		"version 1; processes 3; lock lamportfast",
		"version 1; processes 3; lock bakery",
	} {
		_, name, _ := strings.Cut(text, "; ")
		b.Run(strings.NewReplacer(" ", "=", "; ", "/").Replace(name), func(b *testing.B) {
			p := newTab(b)
			p.load(text)
			require.Empty(b, p.view().Refused)
			var times []float64
			for b.Loop() {
				times = append(times, within[float64](p, time.Minute, `new Promise(done => {
					const from = performance.now();
					document.querySelector("#check").click();
					const look = () => document.querySelector("#cancel").hidden ? done(performance.now() - from) : setTimeout(look, 2);
					setTimeout(look, 2);
				})`))
			}
			require.NotEmpty(b, p.text("#checked"), p.text("#progress"))
			b.Log(p.text("#progress"))
			report(b, "check", times)
		})
	}
}
