// Package natsengine has the members of a lock of package engine meet on NATS: core NATS carries
// their frames, and a JetStream key-value bucket has the record of the lock.
package natsengine

import (
	"fmt"
	"strings"
)

// escaped makes a name safe as a part of a subject and as a key: it may have any bytes. Letters, digits, - and _ stay,
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
