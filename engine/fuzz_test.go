package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// FuzzFrame decodes any bytes as a frame, and as a record: neither panics, and a record that is accepted is written
// as it was read.
func FuzzFrame(f *testing.F) {
	codec, err := wire.New(link.Of(ricartagrawala.Protocol, link.Config{Timeout: time.Second}))
	require.NoError(f, err)
	l := &Lock{name: "lock", codec: codec}
	record := view.Record{Epoch: 7, Nonce: 1 << 63, Members: []view.Entry{{ID: "a", Counter: 3}, {ID: "b", Asked: true}}}
	f.Add(l.encode(record))
	f.Add([]byte{'R', 7, 8, 0, 1, 0})
	f.Add([]byte{'M', 7, 8, 1, 0, 2, 1, 3, 1, 1, 1, 0, 1, 7, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = l.decode(data)
		r, err := l.decoded(data)
		if err != nil || len(data) == 0 {
			return
		}
		again, err := l.decoded(l.encode(r))
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}
