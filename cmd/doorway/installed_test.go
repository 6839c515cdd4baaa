package main

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
)

// A user who has installed the command, and has no checkout, has the wrong variants too: the
// source is in the cache of modules.
func TestInstalled(t *testing.T) {
	inOneBuild(t)
	tier.NeedsFull(t, "installs doorway from a module proxy, and has it build itself")
	readSources(t)
	here, err := os.Getwd()
	require.NoError(t, err)
	in := func(dir string, name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.True(t, err == nil || errors.As(err, new(*exec.ExitError)) && name != "go", "%q: %v\n%s", args, err, out)
		return string(out)
	}
	cache := strings.TrimSpace(in(here, "go", "env", "GOMODCACHE"))
	proxy, bin, cached, empty := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	for variable, value := range map[string]string{
		"GOPROXY": "file://" + proxy + "|file://" + cache + "/cache/download", "GOSUMDB": "off", "GOWORK": "off", "GOBIN": bin, "GOMODCACHE": cached,
		"GOFLAGS": "-modcacherw", "XDG_CACHE_HOME": t.TempDir(), "GOCACHE": strings.TrimSpace(in(here, "go", "env", "GOCACHE")),
	} {
		t.Setenv(variable, value)
	}
	root := filepath.Dir(filepath.Dir(here))
	modules := []string{library, library + "/anylock", self}
	for k, module := range modules {
		source := filepath.Join(root, strings.TrimPrefix(module, library))
		if module != library { // as CONTRIBUTING says of a release
			copied := os.DirFS(source)
			source = t.TempDir()
			require.NoError(t, os.CopyFS(source, copied))
			file := filepath.Join(source, "go.mod")
			mod, _, _ := strings.Cut(page.Read(t, file), "\nreplace ")
			require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(mod, " v0.0.0\n", " "+version+"\n")), 0o666))
			in(source, "go", append([]string{"mod", "download"}, modules[:k]...)...) // which has their sums in go.sum
		}
		publish(t, proxy, module, source)
	}
	in(empty, "go", "install", self+"@"+version)
	program := filepath.Join(bin, "doorway")
	assert.Contains(t, in(empty, program, "check", "lamportfast/just-leave", "-give-up"), "breaks its promise")
	assert.Contains(t, in(empty, program, "check", "maekawa/late-failed"), "breaks its promise")
	t.Setenv("PATH", "")
	assert.Contains(t, unwrapped(in(empty, program, "check", "maekawa/late-failed")), "there is no go command in PATH")
}

const version = "v0.1.0"

// publish makes the module in a directory available from the proxy, which is a directory too.
func publish(t *testing.T, proxy, module, from string) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(module), "@v", version)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
	f, err := os.Create(at + ".zip")
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(name, "go.mod")); name != from && (err == nil || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		w, err := z.Create(module + "@" + version + "/" + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(at), "list"), []byte(version+"\n"), 0o666))
	require.NoError(t, os.WriteFile(at+".mod", []byte(page.Read(t, filepath.Join(from, "go.mod"))), 0o666))
	require.NoError(t, os.WriteFile(at+".info", []byte(`{"Version":"`+version+`"}`), 0o666))
}
