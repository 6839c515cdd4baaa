/* Lamport's algorithm, step for step as messaging/permission/lamport/lamport.go.
 *
 * A Release does not say which request it ends: with FIFO links that is the one in
 * the queue.
 *
 * Source: L. Lamport, "Time, clocks, and the ordering of events in a distributed
 * system", Communications of the ACM 21(7):558-565, 1978.
 */

#define LATEST 9
#include "nodes.pml"

mtype = { Request, Reply, Release };	/* all with the time of sending */

#define any(k) times(k, Request) times(k, Reply) times(k, Release)

chan links[LINKS] = [2*R+1] of { mtype, byte };

inline broadcast(m, at) {
	for (j : 1 .. N-1) {
		send(neighbor(j), m, at)
	}
}

inline request() {
	clock++;
	mine = clock;
	queue[i] = mine;
	broadcast(Request, mine)
}

inline release() {
	queue[i] = 0;
	mine = 0;
	clock++;
	broadcast(Release, clock)
}

inline receive() {
	last[from] = max(last[from], t);
	clock = max(clock, t) + 1;
	if
	:: kind == Request -> assert(queue[from] == 0); queue[from] = t; send(from, Reply, clock)
	:: kind == Release -> assert(queue[from] != 0); queue[from] = 0
	:: kind == Reply
	fi;
	enterIfFirst()
}

/* Enter if no request in the queue is older, and none can arrive. */
inline enterIfFirst() {
	if
	:: phase == waiting ->
	   for (j : 1 .. N-1) {
	      if
	      :: queue[neighbor(j)] != 0 && before(queue[neighbor(j)], neighbor(j), mine, i) -> break
	      :: before(last[neighbor(j)], neighbor(j), mine, i) -> break
	      :: else
	      fi
	   }
	   if
	   :: j == N -> enters
	   :: else
	   fi
	:: else
	fi
}

active [N] proctype P() {
	byte left = R, clock, mine, queue[N], last[N];	/* queue: by node, the time of its request; 0: none */
	mtype phase = idle;
	do
	user
	arrivals
	od
}
