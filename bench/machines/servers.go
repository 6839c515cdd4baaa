package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Servers are those that are installed: each on a port of the loopback, with a directory that is removed.
type servers struct {
	dir      string
	urls     map[string]string // by name; "": it is not installed
	versions []string
	nats     *process
	others   []*exec.Cmd
	names    int
}

func start(ctx context.Context) (s *servers, err error) {
	s = &servers{urls: map[string]string{}}
	if s.dir, err = os.MkdirTemp("", "machines"); err != nil {
		return nil, err
	}
	for _, start := range []func(context.Context) error{s.startNATS, s.startRedis, s.startEtcd} {
		if err := start(ctx); err != nil {
			s.stop()
			return nil, err
		}
	}
	return s, nil
}

func (s *servers) stop() {
	if s.nats != nil {
		_ = s.nats.end()
	}
	for _, c := range s.others {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// fresh returns the name of a lock that no other cell has.
func (s *servers) fresh() string {
	s.names++
	return fmt.Sprintf("lock%d", s.names)
}

func (s *servers) startNATS(ctx context.Context) (err error) {
	s.nats, s.urls["nats"], err = launch(ctx, job{NATS: filepath.Join(s.dir, "nats")})
	s.versions = append(s.versions, "NATS "+server.VERSION)
	return err
}

// serveNATS is a NATS server until its input ends.
func serveNATS(dir string, in *json.Decoder, out *json.Encoder) error {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir})
	if err != nil {
		return err
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(10 * time.Second) {
		return errors.New("the NATS server is not ready after 10 s")
	}
	if err := out.Encode(s.ClientURL()); err != nil {
		return err
	}
	_ = in.Decode(new(any)) // until it ends
	return nil
}

func (s *servers) startRedis(ctx context.Context) error {
	address, err := free()
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(address)
	return s.spawn(ctx, "redis", address, "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.dir)
}

func (s *servers) startEtcd(ctx context.Context) error {
	address, err := free()
	if err != nil {
		return err
	}
	peers, err := free()
	if err != nil {
		return err
	}
	return s.spawn(ctx, "etcd", address, "etcd", "--data-dir", filepath.Join(s.dir, "etcd"), "--log-level", "error",
		"--listen-client-urls", "http://"+address, "--advertise-client-urls", "http://"+address,
		"--listen-peer-urls", "http://"+peers, "--initial-advertise-peer-urls", "http://"+peers,
		"--initial-cluster", "default=http://"+peers)
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

// free returns an address of the loopback that is free at present.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
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
