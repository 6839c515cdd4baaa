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

	"example.org/doorway/internal/docs/page"
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
	root, modules := filepath.Dir(filepath.Dir(here)), []string{library, library + "/anylock", self}
	for k, module := range modules {
		source := t.TempDir()
		require.NoError(t, os.CopyFS(source, os.DirFS(filepath.Join(root, strings.TrimPrefix(module, library)))))
		for _, other := range []string{"anylock", "bench/machines", "cmd", "engine/nats", "engine/sqlfence/test", "examples/consumer", "examples/machines", "page/e2e", "tools", ".git"} { // which are in no zip of a module
			require.NoError(t, os.RemoveAll(filepath.Join(source, other)))
		}
		mod := page.Read(t, filepath.Join(source, "go.mod"))
		if module != library { // as CONTRIBUTING says of a release
			mod, _, _ = strings.Cut(mod, "\nreplace ")
			mod = strings.ReplaceAll(mod, " v0.0.0\n", " "+version+"\n")
			require.NoError(t, os.WriteFile(filepath.Join(source, "go.mod"), []byte(mod), 0o666))
			in(source, "go", append([]string{"mod", "download"}, modules[:k]...)...) // which has their sums in go.sum
		}
		publish(t, proxy, module, mod, os.DirFS(source))
	}
	in(empty, "go", "install", self+"@"+version)
	program := filepath.Join(bin, "doorway")
	assert.Contains(t, in(empty, program, "check", "lamportfast/just-leave", "-give-up"), "breaks its promise")
	assert.Contains(t, in(empty, program, "check", "maekawa/late-failed"), "breaks its promise")
	assert.Contains(t, in(empty, program, "page", "-o", "site"), "site/index.html is the page")
	t.Setenv("PATH", "")
	assert.Contains(t, unwrapped(in(empty, program, "check", "maekawa/late-failed")), "there is no go command in PATH")
}

const version = "v0.1.0"

// publish makes a module available from the directory of a proxy.
func publish(t *testing.T, proxy, module, mod string, files fs.FS) {
	t.Helper()
	at := filepath.Join(proxy, module, "@v")
	require.NoError(t, os.MkdirAll(at, 0o777))
	f, err := os.Create(filepath.Join(at, version+".zip"))
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		w, err := z.Create(module + "@" + version + "/" + name)
		require.NoError(t, err)
		_, err = w.Write(text)
		return err
	}))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": mod, version + ".info": `{"Version":"` + version + `"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), []byte(text), 0o666))
	}
}
