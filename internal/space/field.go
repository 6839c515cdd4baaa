package space

// A Field is the place of a part of a state in its words.
type Field struct {
	Word, Shift uint8
	Mask        uint64
}

// Of returns what the field of k holds.
func (f Field) Of(k []uint64) uint64 { return k[f.Word] >> f.Shift & f.Mask }

// Set sets the field of k to v, for which it has room.
func (f Field) Set(k []uint64, v uint64) {
	k[f.Word] = k[f.Word]&^(f.Mask<<f.Shift) | v<<f.Shift
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
