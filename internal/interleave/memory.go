package interleave

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
)

// What a thread will do depends on everything that it has read. But it has forgotten
// much of it: what a function without results has read is gone when the function has
// returned, except what it wrote to memory. So two runs of a thread continue in the
// same way if they have read the same outside such functions, called the same of
// those, and left memory the same.
//
// The scenario lists the functions without results (Mute). A wait that returns false
// if it was aborted counts as one: only that result is remembered. The stack at the
// next operation shows that a function has returned: the function, or a line from
// which it was called, is no longer there. Consecutive calls from the same line count
// as one. That is sound: the caller decides how many there are, and knows only the
// rest; and noticing late that a function has returned only merges fewer states.

// A fact is something that a thread remembers: the answer to an operation and its
// place, or that a mute function was called.
type fact struct {
	from   int32 // stack
	answer uint8
	mute   bool
	gaveUp bool // it, or an operation within, was a receive from what is closed
}

// A frame is a function that has been called, and the line that it is at.
type frame struct{ function, line int32 }

type stacks struct {
	names map[string]int32
	mute  []bool // functions
	all   [][]frame
	known map[string]int32
}

// number returns the number of the stack of pcs, from the function of the thread
// inwards.
func (k *stacks) number(pcs []uintptr, mute []string) int32 {
	var fs []frame
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "interleave.(*Run).do") {
			break
		}
		n, ok := k.names[f.Function]
		if !ok {
			n = int32(len(k.mute))
			k.names[f.Function] = n
			k.mute = append(k.mute, slices.ContainsFunc(mute, func(m string) bool { return strings.HasSuffix(f.Function, m) }))
		}
		fs = append(fs, frame{n, int32(f.Line)})
		if !more {
			break
		}
	}
	var key []byte
	slices.Reverse(fs)
	for _, f := range fs {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(f.function)), int64(f.line))
	}
	n, ok := k.known[string(key)]
	if !ok {
		n = int32(len(k.all))
		k.known[string(key)] = n
		k.all = append(k.all, fs)
	}
	return n
}

// forget returns what a thread remembers of facts when its next operation is at
// a stack. The last fact is of the operation before.
func (k *stacks) forget(facts []fact, next []frame) []fact {
	if len(facts) == 0 || facts[len(facts)-1].from < 0 {
		return facts
	}
	last := k.all[facts[len(facts)-1].from]
	gone := 0 // the outermost frame of last that has returned
	for gone < len(last) && gone < len(next) && last[gone].function == next[gone].function {
		gone++
		if last[gone-1].line != next[gone-1].line {
			break
		}
	}
	for ; gone < len(last); gone++ {
		if !k.mute[last[gone].function] {
			continue
		}
		n := len(facts)
		for n > 0 && facts[n-1].from >= 0 && within(k.all[facts[n-1].from], last[:gone], last[gone].function) {
			n--
		}
		call := fact{from: facts[n].from, mute: true}
		for _, f := range facts[n:] {
			call.gaveUp = call.gaveUp || f.gaveUp
		}
		return append(facts[:n:n], call)
	}
	return facts
}

// within reports whether a stack is one of function, called from outer.
func within(stack, outer []frame, function int32) bool {
	n := len(outer)
	return len(stack) > n && stack[n].function == function && slices.Equal(stack[:n], outer)
}
