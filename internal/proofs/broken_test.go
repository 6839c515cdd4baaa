package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
)

// Each rule of multicasts, snapshots, links, recovery and clocks is needed: without it fails the test that
// testdata/broken.diff names. A change whose name is "and" belongs to the rule before.
func TestBroken(t *testing.T) {
	tier.NeedsFull(t, "builds tests once for each rule")
	var rules [][]variants.Change
	for _, c := range variants.Read(t, "testdata/broken.diff") {
		if c.Name == "and" {
			rules[len(rules)-1] = append(rules[len(rules)-1], c)
		} else {
			rules = append(rules, []variants.Change{c})
		}
	}
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, changes := range rules {
		t.Run(changes[0].Name, func(t *testing.T) {
			t.Parallel()
			pkg, test, _ := strings.Cut(changes[0].Shown, " ")
			open(t, path.Dir(changes[0].File), pkg)
			changed := map[string]string{}
			for _, c := range changes {
				name := filepath.Join(at, c.File)
				if changed[name] == "" {
					changed[name] = page.Read(t, name)
				}
				changed[name], err = c.Apply(changed[name])
				require.NoError(t, err)
			}
			dir := t.TempDir()
			for name, text := range changed {
				changed[name] = filepath.Join(dir, filepath.Base(name))
				require.NoError(t, os.WriteFile(changed[name], []byte(text), 0o666))
			}
			overlay, err := json.Marshal(map[string]any{"Replace": changed})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666))
			cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-run", "^"+strings.ReplaceAll(test, "/", "$/^")+"$", "./"+pkg)
			cmd.Dir = root
			out, _ := cmd.CombinedOutput()
			assert.Contains(t, string(out), "--- FAIL: "+test, "without the rule")
		})
	}
}
