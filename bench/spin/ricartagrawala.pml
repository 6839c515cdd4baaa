/* The algorithm of Ricart and Agrawala, step for step as
 * messaging/permission/ricartagrawala/ricartagrawala.go.
 *
 * Source: G. Ricart, A. K. Agrawala, "An optimal algorithm for mutual exclusion in
 * computer networks", Communications of the ACM 24(1):9-17, 1981.
 */

#define LATEST N*R
#include "nodes.pml"

mtype = { Request, Reply };	/* both with the time of the request */

#define any(k) times(k, Request) times(k, Reply)

chan links[LINKS] = [2] of { mtype, byte };

#ifdef UNBOUNDED
#include "unbounded.pml"
#endif

inline request() {
	highest++;
	mine = highest;
	for (j : 1 .. N-1) {
		send(neighbor(j), Request, mine)
	}
}

inline receive() {
	if
	:: kind == Request ->
	   highest = max(highest, t);
	   if
	   :: phase == inside || phase == waiting && before(mine, i, t, from) -> deferred[from] = t
	   :: else -> send(from, Reply, t)
	   fi
	:: else ->
	   assert(phase == waiting && t == mine);	/* no request is withdrawn */
	   replies++;
	   if
	   :: replies == N-1 -> enters
	   :: else
	   fi
	fi
}

inline release() {
	mine = 0;
	replies = 0;
	for (j : 0 .. N-1) {
		if
		:: deferred[j] != 0 -> send(j, Reply, deferred[j]); deferred[j] = 0
		:: else
		fi
	}
}

#ifndef UNBOUNDED
active [N] proctype P() {
	byte left = R, highest, mine, replies, deferred[N];
	mtype phase = idle;
	do
	user
	arrivals
	od
}
#else
active [N] proctype User() {
	do
	user
	od
}

active [LINKS] proctype Link() {
	do
	arrives(1 + (_pid - N) % DEGREE)
	od
}
#endif
