//go:build !doorway_explore

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

// A shell gets a script, which asks for the words that can follow.
func TestCompletion(t *testing.T) {
	for shell, asks := range map[string]string{"bash": lastWord, "zsh": completing, "fish": completing, "powershell": completing, "pwsh": completing} {
		assert.Contains(t, shows(t, "completion "+shell, 0), asks, "the script for %s", shell)
	}
	for args, c := range map[string]struct{ has, hasNot string }{
		"":                   {"check:check a lock or a protocol in every interleaving", "bakery"},
		"-j":                 {"-json", "list"},
		"check":              {"peterson/turn-first", "clh"},
		"check -":            {"-numbers", "bakery"},
		"check -svg":         {"", "-"},
		"check bakery --gi":  {"--give-up", "giveup"},
		"stress":             {"mcs", "flip"},
		"compare":            {"mcs", "maekawa"},
		"costs":              {"maekawa", "late-failed"},
		"list":               {"maekawa/late-failed", "clh"},
		"page":               {"maekawa/late-failed", "clh"},
		"page -o":            {"", "peterson"},
		"run":                {"", "maekawa"},
		"completion":         {"powershell", "pwsh"},
		"help":               {"json", "bakery"},
		"check peterson --n": {"", "-"},
	} {
		stdout := shows(t, args+" "+completing, 0)
		assert.Contains(t, "\n"+stdout, "\n"+c.has, "completing %q", args)
		assert.NotContains(t, stdout, c.hasNot, "completing %q", args)
	}
}

// A plain bash, without the package bash-completion, completes command lines.
func TestCompletionInBash(t *testing.T) {
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
complete -p doorway
for words in "$@"; do
	read -ra COMP_WORDS <<<"$words"
	[[ $words = *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	printf '[%s]\n' "$words"
	_doorway doorway
	printf '%s\n' "${COMPREPLY[@]}"
done`
	const noFiles = "compopt +o default +o bashdefault"
	cases := []struct{ words, has, hasNot string }{
		{"doorway che", "check", "compare"},
		{"doorway check ", "peterson", noFiles},
		{"doorway check peterson --nu", "--numbers", "--n"},
		{"doorway check peterson -n ", noFiles, "peterson"},
		{"doorway check -svg ", "", noFiles},
		{"doorway check -- -n", "", noFiles},
	}
	args := []string{"--norc", "--noprofile", "-c", script, "bash"}
	for _, c := range cases {
		args = append(args, c.words)
	}
	cmd := exec.CommandContext(t.Context(), bash, args...)
	cmd.Env = append(cmd.Environ(), plays+"=", "PATH="+dir, "COMP_TYPE=9", "GORACE=atexit_sleep_ms=0") // not 1 s each time
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	assert.Empty(t, stderr.String())
	assert.Contains(t, string(out), "complete -o bashdefault -o default -F _doorway doorway\n")
	for _, c := range cases {
		_, part, _ := strings.Cut(string(out), "["+c.words+"]\n")
		part, _, _ = strings.Cut(part, "\n[")
		lines := strings.Split(part, "\n")
		assert.Contains(t, append(lines, ""), c.has, "completing %q: %q", c.words, part)
		assert.NotContains(t, lines, c.hasNot, "completing %q", c.words)
	}
}
