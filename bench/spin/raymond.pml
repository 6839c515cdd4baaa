/* Raymond's algorithm, step for step as messaging/token/raymond/raymond.go, on a balanced
 * binary tree with the token at its root, node 0, at first.
 *
 * Source: K. Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM
 * Transactions on Computer Systems 7(1):61-77, 1989.
 */

/* The neighbors are the parent and the children. */
#define TOPOLOGY
#if N == 2
#define DEGREE 1
#define neighbor(k) (1 - i)
#define linked(k)
#else
#define DEGREE 3
#define neighbor(k) (k == 1 -> (i - 1) / 2 : 2*i + k - 1)
#define linked(k) (k == 1 -> i > 0 : 2*i + k - 1 < N) &&
#endif
#define LINKS 2*(N-1)
#define link(from, to) links[((from) < (to) -> 2*(to) - 1 : 2*(from) - 2)]

#include "nodes.pml"

mtype = { Request, Token };

#define any(k) gets(k, Request, 0) gets(k, Token, 0)

chan links[LINKS] = [2] of { mtype, byte };

inline request() {
	queue!i;
	assignOrAsk()
}

inline release() {
	assignOrAsk()
}

inline receive() {
	if
	:: kind == Request -> queue!from
#ifdef STILL_ASKED	/* a lecture's sketch */
	:: kind == Token -> holder = i
#else
	:: kind == Token -> holder = i; asked = 0
#endif
	fi;
	assignOrAsk()
}

inline assignOrAsk() {
	if
	:: holder == i && phase != inside && len(queue) > 0 ->
	   queue?holder;
	   if
	   :: holder == i -> enters
	   :: else -> send(holder, Token, 0)
	   fi
	:: else
	fi;
	if
	:: holder != i && len(queue) > 0 && !asked -> asked = 1; send(holder, Request, 0)
	:: else
	fi
}

active [N] proctype P() {
	byte left = R, holder = (i == 0 -> 0 : (i - 1) / 2);
	bit asked;
	chan queue = [DEGREE+1] of { byte };
	mtype phase = idle;
	do
	user
	arrivals
	od
}
