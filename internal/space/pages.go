package space

import "unsafe"

// pages is a slice that grows without copying.
type pages[T any] struct {
	list [][]T
	n    int
}

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

func (p *pages[T]) at(i int) *T { return &p.list[i>>pageBits][i&(pageSize-1)] }

func (p *pages[T]) add(v T) int {
	if p.n>>pageBits == len(p.list) {
		p.list = append(p.list, make([]T, pageSize))
	}
	*p.at(p.n) = v
	p.n++
	return p.n - 1
}

func (p *pages[T]) bytes() int64 {
	var v T
	return int64(len(p.list)) * pageSize * int64(unsafe.Sizeof(v))
}

// more returns how many bytes it takes more if it grows to that many values.
func (p *pages[T]) more(values int) int64 {
	var v T
	return int64(max(0, (values+pageSize-1)>>pageBits-len(p.list))) * pageSize * int64(unsafe.Sizeof(v))
}
