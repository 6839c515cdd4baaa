package link

import "example.org/doorway/messaging"

// like returns n as what the inner node is.
func (n node) like() messaging.Node {
	_, excludes := messaging.As[messaging.Exclusion](n.Inner)
	_, withdraws := messaging.As[messaging.Withdrawer](n.Inner)
	_, shares := messaging.As[messaging.Sharer](n.Inner)
	switch {
	case shares && withdraws:
		return &sharingWithdrawer{withdrawer{lock{n}}}
	case shares:
		return &sharer{lock{n}}
	case withdraws:
		return &withdrawer{lock{n}}
	case excludes:
		return &lock{n}
	}
	return &n
}

// link returns the node, also of one that is a lock.
func (n *node) link() *node { return n }

// A lock is a node of which the inner one is an Exclusion.
type lock struct{ node }

func (n *lock) Request(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Exclusion).Request(n.begin(out))
	n.settle()
}

func (n *lock) Release(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Exclusion).Release(n.begin(out))
	n.settle()
}

type withdrawer struct{ lock }

func (n *withdrawer) Withdraw(out messaging.Out) {
	defer n.end()
	n.Inner.(messaging.Withdrawer).Withdraw(n.begin(out))
	n.settle()
}

type sharer struct{ lock }

func (n *sharer) Excludes(other messaging.ID) bool {
	return n.Inner.(messaging.Sharer).Excludes(other)
}

type sharingWithdrawer struct{ withdrawer }

func (n *sharingWithdrawer) Excludes(other messaging.ID) bool {
	return n.Inner.(messaging.Sharer).Excludes(other)
}
