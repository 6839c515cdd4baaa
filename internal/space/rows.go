package space

// rows are the successors of states, by number: those of each state as differences to its
// own ID, which are small, since most are found soon after it.
//
// A row is how many there are and how many bytes each takes, and the differences, the
// lowest byte first.
type rows struct {
	data  pages[byte]
	begin pages[uint32] // where the row of every fourth state begins
	n     int
}

const rowsApart = 4

// add adds the row of the next state.
func (r *rows) add(from ID, to []int32) {
	if r.n%rowsApart == 0 {
		r.begin.add(uint32(r.data.n))
	}
	r.n++
	width := 1
	for _, t := range to {
		for d := t - int32(from); extended(uint32(d), width) != d; {
			width++
		}
	}
	head := uint(len(to)<<2 | (width - 1))
	for ; head >= 1<<7; head >>= 7 {
		r.data.add(byte(head) | 1<<7)
	}
	r.data.add(byte(head))
	for _, t := range to {
		d := uint32(t - int32(from))
		for range width {
			r.data.add(byte(d))
			d >>= 8
		}
	}
}

// row returns how many successors a state has, how many bytes each takes, and where the
// first one is.
func (r *rows) row(number int) (n, width, at int) {
	at = int(*r.begin.at(number / rowsApart))
	for before := number % rowsApart; ; before-- {
		head, shift := uint(0), 0
		for more := true; more; shift += 7 {
			b := *r.data.at(at)
			head |= uint(b&^(1<<7)) << shift
			more = b >= 1<<7
			at++
		}
		n, width = int(head>>2), int(head&3)+1
		if before == 0 {
			return n, width, at
		}
		at += n * width
	}
}

// to returns the successor of a state at a place.
func (r *rows) to(from ID, width, at int) ID {
	var d uint32
	for k := range width {
		d |= uint32(*r.data.at(at + k)) << (8 * k)
	}
	return from + ID(extended(d, width))
}

// extended returns the lowest bytes of d as a number with a sign.
func extended(d uint32, bytes int) int32 {
	shift := 32 - 8*bytes
	return int32(d<<shift) >> shift
}

func (r *rows) bytes() int64 { return r.data.bytes() + r.begin.bytes() }
