package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const superuser = "doorway"

// A cluster is a PostgreSQL server with its data, on a socket in its directory.
type cluster struct {
	dir     string
	command *exec.Cmd
	alive   io.Closer // the server stops when this is closed, as it also is when the process of the tests is killed
	schemas int
}

// start starts a server of the system's PostgreSQL.
func start() (*cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c := &cluster{}
	if c.dir, err = os.MkdirTemp("", "sqlfence"); err != nil {
		return nil, err
	}
	if err := c.run(bin); err != nil {
		written, _ := os.ReadFile(c.log())
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, written), os.RemoveAll(c.dir))
	}
	return c, nil
}

func (c *cluster) log() string { return filepath.Join(c.dir, "log") }

func (c *cluster) run(bin string) error {
	as, err := c.account()
	if err != nil {
		return err
	}
	log, err := os.Create(c.log())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	run := func(name string, args ...string) *exec.Cmd {
		command := exec.Command(name, args...)
		command.SysProcAttr, command.Dir, command.Stdout, command.Stderr = as, c.dir, log, log
		return command
	}
	initdb := run(filepath.Join(bin, "initdb"), "-D", "data", "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	if err := initdb.Run(); err != nil {
		return fmt.Errorf("initdb: %w", err)
	}
	// A shell stops the server at the end of its input, and removes the data.
	c.command = run("sh", "-c", `"$@" & cat; kill -INT $!; wait $! && rm -r data`, "sh",
		filepath.Join(bin, "postgres"), "-D", "data", "-k", c.dir, "-c", "listen_addresses=", "-c", "fsync=off")
	if c.alive, err = c.command.StdinPipe(); err != nil {
		return err
	}
	if err := c.command.Start(); err != nil {
		return err
	}
	if err := c.await(); err != nil {
		return errors.Join(err, c.end())
	}
	return nil
}

// binaries returns the directory of the newest PostgreSQL.
func binaries() (string, error) {
	if file, err := exec.LookPath("initdb"); err == nil {
		file, err = filepath.EvalSymlinks(file)
		return filepath.Dir(file), err
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err == nil && len(found) == 0 {
		err = errors.New("there is no initdb in PATH or /usr/lib/postgresql: install it, with apt-get install postgresql")
	}
	if err != nil {
		return "", err
	}
	return found[len(found)-1], nil
}

// account makes the directory another user's if this one is root, whom the server refuses.
func (c *cluster) account() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, wrong := strconv.Atoi(u.Uid)
	gid, err := strconv.Atoi(u.Gid)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return &syscall.SysProcAttr{Credential: as}, os.Chown(c.dir, uid, gid)
}

// await returns when the server answers.
func (c *cluster) await() error {
	db, err := c.open()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := db.Ping(); err == nil || time.Now().After(until) {
			return err
		}
	}
}

func (c *cluster) open() (*sql.DB, error) {
	return sql.Open("pgx", "postgres:///postgres?"+url.Values{"host": {c.dir}, "user": {superuser}}.Encode())
}

// schema makes room for the tables of one test.
func (c *cluster) schema(t *testing.T) string {
	t.Helper()
	db, err := c.open()
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	c.schemas++
	name := fmt.Sprint("test", c.schemas)
	_, err = db.ExecContext(context.Background(), "CREATE SCHEMA "+name)
	require.NoError(t, err)
	return name
}

// end stops the server, and returns when it has.
func (c *cluster) end() error { return errors.Join(c.alive.Close(), c.command.Wait()) }

func (c *cluster) stop() error { return errors.Join(c.end(), os.RemoveAll(c.dir)) }
