package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is built is a program that explains itself.
func TestBuild(t *testing.T) {
	program := filepath.Join(t.TempDir(), "demo.exe")
	require.NoError(t, build(program))
	out, err := exec.CommandContext(t.Context(), program, "-h").CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(out), "-protocol algorithm")
}

func TestFollow(t *testing.T) {
	output, done := make(chan string, 3), make(chan error, 1)
	output <- "runtime"
	output <- "# example.org/machines/demo"
	output <- "demo/main.go:7:2: syntax error"
	close(output)
	failed := errors.New("exit status 1")
	done <- failed
	assert.Equal(t, failed, follow(output, time.Now(), done))
}
