package cluster

// A fifo is a queue in a growing ring buffer.
type fifo[T any] struct {
	ring []T // its length is a power of two
	head int
	len  int
}

func (q *fifo[T]) at(k int) *T { return &q.ring[(q.head+k)&(len(q.ring)-1)] }

func (q *fifo[T]) push(v T) {
	if q.len == len(q.ring) {
		q.grow()
	}
	q.len++
	*q.at(q.len - 1) = v
}

func (q *fifo[T]) grow() {
	ring := make([]T, max(4, 2*len(q.ring)))
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}

// pop removes the first element; the queue must not be empty.
func (q *fifo[T]) pop() T {
	var zero T
	first := q.at(0)
	v := *first
	*first = zero
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.len--
	return v
}

// remove removes element k, counted from the first; it must exist.
func (q *fifo[T]) remove(k int) T {
	v := *q.at(k)
	for ; k > 0; k-- {
		*q.at(k) = *q.at(k - 1)
	}
	q.pop()
	return v
}
