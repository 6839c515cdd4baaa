// Package tutorial keeps docs/own-lock.md and docs/own-protocol.md true. It has only tests, which follow a page from
// the first line to the last, as a reader would, in a new module beside this one: they save the files that the page
// shows, make the changes, type the commands, and compare their output with the page.
package tutorial
