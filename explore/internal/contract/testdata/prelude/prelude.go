// Package prelude begins each case: its imports, and a lock to embed.
package prelude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

type base struct {
	procs register.Processes
	x     register.Word
}

func (b *base) enter(i int, set bool) {
	p := b.procs.Entry(i)
	if set {
		b.x.Store(1)
	}
	p.Inside()
}

func (b *base) wait(p *register.Process) bool {
	return b.x.Await(p, func(v uint64) bool { return v == 0 })
}

func (b *base) Unlock(i int) { b.procs.Exit(i); b.x.Store(0) }

func mk0(n int) base { return base{procs: register.MakeProcesses("x", n)} }
