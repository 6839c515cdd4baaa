package space

// A Table numbers encodings in the order in which they are added. The zero Table is empty.
type Table struct {
	Codes   []string // by number
	numbers map[string]uint32
}

// Number returns the number of an encoding, and reports whether it had one; otherwise it
// gets one.
func (t *Table) Number(code []byte) (number uint32, known bool) {
	if number, known = t.numbers[string(code)]; known {
		return number, true
	}
	if t.numbers == nil {
		t.numbers = map[string]uint32{}
	}
	number = uint32(len(t.Codes))
	t.Codes = append(t.Codes, string(code))
	t.numbers[t.Codes[number]] = number
	return number, false
}

// Bits is a set of numbers, such as those of states: a bit for each.
type Bits []uint64

// Add adds a number.
func (s *Bits) Add(n int) {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

// Has reports whether the set has a number.
func (s Bits) Has(n int) bool { return n/64 < len(s) && s[n/64]>>(n%64)&1 == 1 }
