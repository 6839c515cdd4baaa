package contract

import (
	"os"
	"syscall"
)

// nameless is O_TMPFILE, which package syscall lacks: a file in that directory without a name.
const nameless = 0x400000 | syscall.O_DIRECTORY

// unnamed returns a temporary file that ceases to exist when it is closed, by this
// program and by those that inherit it. It never has a name, so that it is not left
// if this program ends at any time, where the file system has such files.
func unnamed() (*os.File, error) {
	if f, err := os.OpenFile(os.TempDir(), os.O_RDWR|nameless, 0o600); err == nil {
		return f, nil
	}
	return removed()
}
