package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Servers are those that are installed: each on a port of the loopback, with a directory that is removed. NATS is in
// this process, which has nothing else to do meanwhile.
type servers struct {
	dir      string
	urls     map[string]string // by name; "": it is not installed
	versions []string
	nats     *server.Server
	others   []*exec.Cmd
	names    int // of locks, so far
}

func start(ctx context.Context) (s *servers, err error) {
	s = &servers{urls: map[string]string{}}
	if s.dir, err = os.MkdirTemp("", "machines"); err != nil {
		return nil, err
	}
	addresses, err := free(3)
	if err == nil {
		redis, etcd, peers := addresses[0], addresses[1], "http://"+addresses[2]
		_, port, _ := net.SplitHostPort(redis)
		err = errors.Join(s.startNATS(),
			s.spawn(ctx, "redis", redis, "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.dir),
			s.spawn(ctx, "etcd", etcd, "etcd", "--data-dir", filepath.Join(s.dir, "etcd"), "--log-level", "error",
				"--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd,
				"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers))
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *servers) stop() {
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	for _, c := range s.others {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

func (s *servers) startNATS() (err error) {
	s.nats, err = server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: filepath.Join(s.dir, "nats"),
	})
	if err != nil {
		return err
	}
	s.nats.Start()
	if !s.nats.ReadyForConnections(10 * time.Second) {
		return errors.New("the NATS server is not ready after 10 s")
	}
	s.urls["nats"], s.versions = s.nats.ClientURL(), append(s.versions, "NATS "+server.VERSION)
	return nil
}

var version = regexp.MustCompile(`\d+(\.\d+)+`)

// spawn starts a server of the system's packages, if it is installed, and waits until it takes connections.
func (s *servers) spawn(ctx context.Context, name, address, program string, arguments ...string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil //nolint:nilerr // it is left out
	}
	c := exec.CommandContext(ctx, path, arguments...)
	if err := c.Start(); err != nil {
		return err
	}
	s.others = append(s.others, c)
	says, _ := exec.CommandContext(ctx, path, "--version").Output()
	s.versions = append(s.versions, name+" "+version.FindString(string(says)))
	s.urls[name] = address
	return await(address)
}

// free returns addresses of the loopback that are free at present.
func free(n int) (all []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() //nolint:errcheck // nothing was accepted
		all = append(all, l.Addr().String())
	}
	return all, nil
}

// await waits until a server takes connections.
func await(address string) (err error) {
	var c net.Conn
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err = net.Dial("tcp", address); err == nil {
			return c.Close()
		}
	}
	return err
}
