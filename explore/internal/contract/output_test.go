//go:build unix

package contract_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/contract"
)

// lists is in the environment of a process which is this test binary and reads the
// source of a package, or is the go command that lists its imports: the address at
// which that says that it runs.
const lists = "DOORWAY_TEST_LISTS"

func TestMain(m *testing.M) {
	switch address, playing := os.LookupEnv(lists); {
	case playing && filepath.Base(os.Args[0]) == "go":
		if err := playGo(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case playing:
		_, err := contract.Read(filepath.Join("..", "..", "..", "bakery"))
		fmt.Fprintln(os.Stderr, "this program was not ended:", err)
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
}

// playGo is a go list, which writes once the connection says so, and says there when
// it has removed its work directory.
func playGo(address string) error {
	work, err := os.MkdirTemp("", "go-build")
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	if _, err := c.Read(make([]byte, 1)); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "go: a warning")
	fmt.Println("{}")
	if err := os.Remove(work); err != nil {
		return err
	}
	_, err = io.WriteString(c, "ended")
	return err
}

// A program that is killed while the go command lists packages leaves nothing: the go
// command goes on until it has removed its work directory.
func TestKilledWhileListing(t *testing.T) {
	const soon = time.Minute // far longer than anything here takes
	self, err := os.Executable()
	require.NoError(t, err)
	path, temp := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(path, "go")))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	require.NoError(t, l.(*net.TCPListener).SetDeadline(time.Now().Add(soon)))

	reader := exec.CommandContext(t.Context(), self)
	reader.Env = append(os.Environ(), lists+"="+l.Addr().String(), "PATH="+path, "TMPDIR="+temp)
	require.NoError(t, reader.Start())
	c, err := l.Accept()
	require.NoError(t, err, "the go command does not begin")
	defer func() { _ = c.Close() }()
	require.NoError(t, c.SetDeadline(time.Now().Add(soon)))
	require.NoError(t, reader.Process.Kill())
	require.EqualError(t, reader.Wait(), "signal: killed")

	_, err = c.Write([]byte{0})
	require.NoError(t, err)
	said, _ := io.ReadAll(c) // an error too means that the go command did not say it
	assert.Equal(t, "ended", string(said), "what the go command does after the program was killed")
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}
