//go:build !doorway_explore

package messaging

// A slot is a channel of capacity one, on which the user of a node waits.
type slot chan answer

// offer sends a, unless the slot is full.
func (s slot) offer(a answer) {
	select {
	case s <- a:
	default:
	}
}

func (s slot) receive() answer { return <-s }

// receiveOr returns true when it has received, and false if done is closed.
func (s slot) receiveOr(done <-chan struct{}) (answer, bool) {
	select {
	case a := <-s:
		return a, true
	case <-done:
		return 0, false
	}
}

// poll returns false if there is nothing to receive.
func (s slot) poll() (answer, bool) {
	select {
	case a := <-s:
		return a, true
	default:
		return 0, false
	}
}

// A gate is a channel on which nothing is sent, and which is closed once.
type gate chan struct{}

func (g gate) close() { close(g) }

// An inbox is read and written under the mutex of its node alone.
type inbox []delivery

func (b *inbox) add(d delivery) { *b = append(*b, d) }

// empty moves all to the end of q.
func (b *inbox) empty(q *fifo[delivery]) {
	for _, d := range *b {
		q.push(d)
	}
	clear(*b)
	*b = (*b)[:0]
}

// taken and letGo are where what belongs to the owner of a node passes from one
// owner to the next.
func (m *member) taken() {}
func (m *member) letGo() {}
