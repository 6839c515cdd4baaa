package interleave

import (
	"encoding/binary"
	"runtime"
	"strings"
)

// What a thread will do follows from all that it has read. But much of that it
// has forgotten: what a function read that returns nothing and has returned,
// nobody knows any more, except as far as it was written to memory. So runs of
// a thread are the same from here on if they have read the same outside of such
// functions, called the same of those, and have left memory the same.
//
// Which functions return nothing, the scenario says (Mute). A wait that returns
// false if it was given up is as good: of what was read in it only that is
// remembered. That a function has returned is seen from the stack at the next
// operation: it, or a line from which it was called, is no longer there. Calls
// one after the other from the same line count as one. That is sound, for how
// many there are is up to the caller, who knows nothing but the rest; and who
// comes late in seeing that one has returned merges less.

// A fact is what a thread remembers: the answer to an operation, and where it
// was made; or that a mute function was called.
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

// number returns the number of the stack that pcs lead to, from the function of
// the thread inwards.
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
			k.mute = append(k.mute, isMute(f.Function, mute))
		}
		fs = append(fs, frame{n, int32(f.Line)})
		if !more {
			break
		}
	}
	var key []byte
	for i, j := 0, len(fs)-1; i < j; i, j = i+1, j-1 {
		fs[i], fs[j] = fs[j], fs[i]
	}
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

func isMute(function string, mute []string) bool {
	for _, m := range mute {
		if strings.HasSuffix(function, m) {
			return true
		}
	}
	return false
}

// forget returns what a thread remembers of facts when its next operation is at
// a stack. The last fact is of the operation before.
func (k *stacks) forget(facts []fact, next []frame) []fact {
	if len(facts) == 0 {
		return facts
	}
	if facts[len(facts)-1].from < 0 {
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
	if len(stack) <= len(outer) || stack[len(outer)].function != function {
		return false
	}
	for i, f := range outer {
		if stack[i] != f {
			return false
		}
	}
	return true
}
