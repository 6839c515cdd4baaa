package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A plain bash, without the package bash-completion, completes command lines.
func TestCompletionInBash(t *testing.T) {
	inOneBuild(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(dir, "doorway")))
	const script = `source <(doorway completion bash)
compopt() { printf '%s\n' "compopt $*"; } # which is for a line that is being edited
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_doorway doorway
printf '%s\n' "${COMPREPLY[@]}"
complete -p doorway`
	const noFiles = "compopt +o default +o bashdefault"
	for _, c := range []struct {
		words       []string
		listed      bool
		has, hasNot []string
	}{
		{[]string{"che"}, false, []string{"check"}, []string{"compare"}},
		{[]string{"c"}, true, []string{"check  -- check a lock or a protocol in every interleaving"}, []string{"list"}},
		{[]string{"che"}, true, []string{"check"}, nil},
		{[]string{""}, false, []string{"check", "completion", "help"}, []string{"bakery"}},
		{[]string{"check", "pet"}, false, []string{"peterson", "peterson/turn-first"}, []string{"bakery"}},
		{[]string{"check", ""}, false, []string{"peterson", "all"}, []string{"-n", noFiles}},
		{[]string{"check", "-n"}, false, []string{"-n", "-numbers"}, []string{"-json", "peterson"}},
		{[]string{"check", "peterson", "--nu"}, false, []string{"--numbers"}, []string{"--n"}},
		{[]string{"check", "peterson", "-n", ""}, false, []string{noFiles}, []string{"-n", "peterson"}},
		{[]string{"check", "-svg", ""}, false, nil, []string{"-svg", "peterson", noFiles}},
		{[]string{"check", "-svg", "p"}, false, nil, []string{"peterson", noFiles}},
		{[]string{"check", "-json", "p"}, false, []string{"peterson"}, nil},
		{[]string{"check", "--", "-n"}, false, nil, []string{"-n", noFiles}},
		{[]string{"-time", ""}, false, []string{noFiles}, nil},
		{[]string{"-ti"}, false, []string{"-time"}, nil},
		{[]string{"run", "ex"}, false, nil, []string{noFiles}},
	} {
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"--norc", "--noprofile", "-c", script, "bash", "doorway"}, c.words...)...)
		cmd.Env = append(cmd.Environ(), plays+"=", "PATH="+dir, "COMP_TYPE=9", "GORACE=atexit_sleep_ms=0") // not 1 s each time
		if c.listed {
			cmd.Env = append(cmd.Env, "COMP_TYPE=63")
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%q: %s", c.words, &stderr)
		assert.Empty(t, stderr.String(), "on stderr of %q", c.words)
		lines := strings.Split(string(out), "\n")
		assert.Contains(t, lines, "complete -o bashdefault -o default -F _doorway doorway")
		assert.Subset(t, lines, c.has, "completing %q", c.words)
		for _, word := range c.hasNot {
			assert.NotContains(t, lines, word, "completing %q", c.words)
		}
	}
}
