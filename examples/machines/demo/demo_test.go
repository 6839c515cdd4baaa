package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asMain is an environment variable: a test binary that has it is the program.
const asMain = "MACHINES_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" || os.Getenv(child) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program is a command that runs the program, in a process of its own. It is killed when the test ends.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain+"=1", "TMPDIR="+t.TempDir()) // one that is killed leaves files
	return cmd
}

// output runs the program, and returns what it prints, and whether it succeeds.
func output(t *testing.T, args ...string) (text string, ok bool) {
	t.Helper()
	out, err := program(t, args...).CombinedOutput()
	return string(out), err == nil
}

func TestDemo(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ricartagrawala", "central"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, ok := output(t, "-protocol", name, "-lease", "500ms")
			t.Log("\n" + out)
			require.True(t, ok)
			assert.Regexp(t, `[AB] +took over \S+s after C was killed`, out)
			assert.Regexp(t, `holder was killed +[AB] took over after`, out)
			assert.Regexp(t, `frames per entry +\d+\.\d\d at full speed`, out)
			assert.Regexp(t, `counter +(\d+) after \d+ acknowledged updates: lost 0`, out)
			assert.Regexp(t, `longest pause +.* when D joined, .* when it left`, out)
			assert.Contains(t, out, "All promises were kept.\n")
			assert.Regexp(t, `All leave\.(\n.* left in .*){3}\n`, out)
			if sigstop != nil {
				assert.Regexp(t, `B +\d+\.\d+ +its context has ended: engine: the lock may be lost`, out)
				assert.Regexp(t, `B +(\d+\.\d+) +writes, and is refused: token (\d+\.\d+) is smaller than`, out)
				assert.Regexp(t, `without its fence +\d+ after \d+ acknowledged updates: lost [1-9]`, out)
			}
			assert.Less(t, silence(out), 2*time.Second)
		})
	}
}

// A broken promise is an error: an update that was lost, or a guard that was valid beside another.
func TestVerdict(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := &demo{table: newTable(&out), resource: resource{acknowledged: counter{Fenced: 2}, counter: counter{Fenced: 1}}}
	require.ErrorContains(t, d.verdict(), "a promise is broken: the counter has lost an update")
	assert.Regexp(t, `counter +1 after 2 acknowledged updates: lost 1`, out.String())
	assert.NotContains(t, out.String(), "kept")

	d = &demo{table: newTable(io.Discard)}
	d.receive(&nats.Msg{Data: []byte(`{"From": "A", "Kind": "invalid", "Text": "its guard was valid, but token 2.1 is smaller than 3.1"}`)})
	require.ErrorContains(t, d.verdict(), "a promise is broken: A: its guard was valid")
}

// silence returns the longest time without a line.
func silence(out string) (longest time.Duration) {
	last := time.Duration(0)
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+\.\d\d) s `).FindAllStringSubmatch(out, -1) {
		at, _ := time.ParseDuration(m[1] + "s")
		longest, last = max(longest, at-last), at
	}
	return longest
}

func TestInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"-lease 1ms", "-lease 1ms: it must be from 500ms to 10s"},
		{"-protocol intervals", "-protocol intervals: it must be one of ricartagrawala, central, lamport, suzukikasami"},
		{"-join 127.0.0.1:1", "-join needs the -token that the other machine has printed"},
		{"-listen 127.0.0.1:0 -token T", "-token needs -join"},
		{"-join 127.0.0.1:1 -token T", "127.0.0.1:1: nats: no servers available"},
		{"-join 127.0.0.1:1 -listen :2", "-join and -listen exclude each other"},
		{"-listen nowhere", "-listen nowhere: "},
		{"more", `unexpected argument "more"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			out, ok := output(t, strings.Fields(c.args)...)
			assert.False(t, ok)
			assert.Contains(t, out, "machines: "+c.want)
			assert.Equal(t, 1, strings.Count(out, "\n"), out)
		})
	}
}

// A running is a program that runs, with the lines that it prints, and those that were read.
type running struct {
	*exec.Cmd
	lines *bufio.Scanner
	text  strings.Builder
}

// run starts the program.
func run(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{Cmd: program(t, args...)}
	r.begin(t)
	return r
}

func (r *running) begin(t *testing.T) {
	t.Helper()
	out, w := io.Pipe()
	r.Stdout, r.Stderr = w, w
	require.NoError(t, r.Start())
	t.Cleanup(func() {
		_ = r.Process.Kill()
		_ = out.Close()
		_ = r.Wait()
	})
	r.lines = bufio.NewScanner(out)
}

// await returns the submatches of the first line that matches.
func (r *running) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for r.lines.Scan() {
		r.text.WriteString(r.lines.Text() + "\n")
		if m := re.FindStringSubmatch(r.lines.Text()); m != nil {
			return m
		}
	}
	require.Failf(t, "the output has ended", "without %s:\n%s", pattern, r.text.String())
	return nil
}

// Another process joins over TCP and takes turns; the others go on when it is killed. One with another protocol, lease or token is refused.
func TestJoin(t *testing.T) {
	t.Parallel()
	here := run(t, "-listen", "127.0.0.1:0", "-lease", "1s")
	arguments := strings.Fields(here.await(t, `(-join .*)$`)[1])
	here.await(t, "C .* entered")

	there := run(t, arguments...)
	name := there.await(t, `^(\S+) joins the lock at `)[1]
	there.await(t, regexp.QuoteMeta(name)+` .*entered after .*; the counter is [1-9]`)
	here.await(t, regexp.QuoteMeta(name)+` .*entered after `)

	for _, c := range [][3]string{{"-protocol", "central", "members run"}, {"-lease", "2s", "members have a lease"}, {"-token", "guess", "Authorization"}} {
		out, ok := output(t, append(arguments, c[0], c[1])...)
		assert.False(t, ok)
		assert.Regexp(t, "(?m)^machines: .*"+c[2], out)
	}
	require.NoError(t, there.Process.Kill())
	for range 2 {
		for _, name := range []string{"A", "B", "C"} {
			here.await(t, " "+name+" .* entered")
		}
	}
}
