package system

// A table numbers encoded states in the order in which they are added.
type table struct {
	codes   []string // by number
	numbers map[string]int
	bytes   int64 // about how many it takes
}

// tableBytes is about how many bytes a state takes beside its encoding: two strings and a
// number, in a slice and a map that may be half empty.
const tableBytes = 96

// number returns the number of an encoded state, and adds it if it is new.
func (t *table) number(code []byte) int {
	number, known := t.numbers[string(code)]
	if !known {
		number = len(t.codes)
		t.codes = append(t.codes, string(code))
		t.numbers[t.codes[number]] = number
		t.bytes += int64(len(code)) + tableBytes
	}
	return number
}
