// Package natsengine has the members of a lock of package engine meet on NATS: core NATS carries
// their frames, and a JetStream key-value bucket has the record of the lock.
package natsengine

import (
	"fmt"
	"strings"
	"time"
)

// patience is how long a server has to answer when something begins.
const patience = 5 * time.Second

func subject(inbox string) string { return "doorway." + escaped(inbox) }

// escaped makes a name of any bytes safe as a part of a subject, and as a key. Letters, digits, - and _ stay,
// and so do dots that separate parts; other bytes become = and two hexadecimal digits. Different names stay
// different.
func escaped(name string) string {
	if name == "" {
		return "="
	}
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_',
			c == '.' && i > 0 && i < len(name)-1 && name[i-1] != '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

// longest is the length of a subject: a server closes a connection that sends it a line of more than 4096 bytes.
const longest = 1024

func short(name, escaped string) error {
	if len(escaped) > longest {
		return fmt.Errorf("natsengine: the name %.32q... has %d bytes in a subject: it must have at most %d", name, len(escaped), longest)
	}
	return nil
}
