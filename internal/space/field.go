package space

import "unsafe"

// Words returns the words of k, in place.
func Words[K Key](k *K) []uint64 { return unsafe.Slice((*uint64)(unsafe.Pointer(k)), len(*k)) }

// A Field is the place of a part of a state in its key.
type Field struct {
	Word, Shift uint8
	Mask        uint64
}

// Of returns what the field holds in a state of these words.
func (f Field) Of(words []uint64) uint64 { return words[f.Word] >> f.Shift & f.Mask }

// Put sets the field in words to v, for which it has room.
func (f Field) Put(words []uint64, v uint64) {
	words[f.Word] = words[f.Word]&^(f.Mask<<f.Shift) | v<<f.Shift
}

// Get returns what a field of k holds.
func Get[K Key](k *K, f Field) uint64 { return (*k)[f.Word] >> f.Shift & f.Mask }

// Set sets a field of k to v, for which it has room.
func Set[K Key](k *K, f Field, v uint64) {
	(*k)[f.Word] = (*k)[f.Word]&^(f.Mask<<f.Shift) | v<<f.Shift
}

// A Packing lays fields in a key, one after the other.
type Packing struct{ Bits int }

// Lay returns the next field, of a width in bits, which is in one word.
func (p *Packing) Lay(width int) Field {
	if width == 0 {
		return Field{}
	}
	if p.Bits%64+width > 64 {
		p.Bits += 64 - p.Bits%64
	}
	f := Field{uint8(p.Bits / 64), uint8(p.Bits % 64), 1<<width - 1}
	p.Bits += width
	return f
}
