package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "the directory that pictures of the page are written to")

// What all tests share: one browser with tabs, and one file.
var (
	browser  context.Context
	file     string // the page
	doorway  string // the command
	chromium string
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The go command sees which files a test reads, but not those of another module, of which the page consists.
	// So .ci/run sets this variable, which the result depends on, to the sum of the page and the browser's version.
	_ = os.Getenv("DOORWAY_PAGE")
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// run builds the page, starts the browser, and returns the status of the tests.
func run(m *testing.M) (status int, err error) {
	if chromium, err = installed(); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "doorway-page")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := build(dir); err != nil {
		return 0, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium),
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // which root has not
	)
	all, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var closed context.CancelFunc
	browser, closed = chromedp.NewContext(all)
	defer closed()
	// Without a deadline: the browser lives as long as the context of the first action.
	if err := chromedp.Do(browser); err != nil {
		return 0, fmt.Errorf("%s does not start: %w", chromium, err)
	}
	return m.Run(), nil
}

// installed returns the path of Chromium.
func installed() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium is in PATH: install the package chromium (apt-get install chromium)")
}

// build builds the command and, by it, the page in dir.
func build(dir string) error {
	doorway = filepath.Join(dir, "doorway")
	file = filepath.Join(dir, "page", "index.html")
	for _, args := range [][]string{
		{"go", "build", "-o", doorway, "./cmd/doorway"},
		{doorway, "page", "-o", filepath.Dir(file)},
	} {
		cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), "GOWORK=") // that of the directory
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// address returns the address of the page with a run, as its links have it.
func address(text string) string {
	u := url.URL{Scheme: "file", Path: file}
	if text != "" {
		return u.String() + "#" + strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	}
	return u.String()
}
