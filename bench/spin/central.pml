/* Mutual exclusion by a coordinator, step for step as messaging/permission/central/central.go.
 * The coordinator is node 0.
 *
 * No request is withdrawn, so one that is over is never in the queue.
 */

#define LATEST R
#include "nodes.pml"

mtype = { Request, Reply, Release };	/* all with the number of the request */

#define any(k) times(k, Request) times(k, Reply) times(k, Release)

chan links[LINKS] = [2*R] of { mtype, byte };
chan own = [2] of { mtype, byte };	/* messages of the coordinator to itself; empty after the step */

/* Of the coordinator. */
byte granted, holder, newest[N];
chan queue = [N] of { byte, byte };	/* in the order of arrival */

/* Also to the node itself. */
#define sends(to, m, at) \
	if \
	:: to == i -> own!m,at \
	:: else -> send(to, m, at) \
	fi

inline request() {
	mine++;
	sends(0, Request, mine);
	settle()
}

inline release() {
	sends(0, Release, mine);
	settle()
}

inline receive() {
	handle();
	settle()
}

/* Messages of a node to itself arrive at the end of the step that sends them. */
inline settle() {
	from = i;
	do
	:: len(own) > 0 -> own?kind,t; handle()
	:: else -> break
	od
}

inline handle() {
	if
	:: kind == Request ->
	   if
	   :: t > newest[from] ->
	      newest[from] = t;
	      over(t - 1);
	      queue!t,from;
	      if
	      :: granted == 0 -> next()
	      :: else
	      fi
	   :: else
	   fi
	:: kind == Release -> over(t)
	:: kind == Reply -> assert(phase == waiting && t == mine); enters
	fi
}

/* The request number k of the sender, and all before it, are over. */
inline over(k) {
	if
	:: holder == from && granted != 0 && granted <= k -> next()
	:: else
	fi
}

inline next() {
	granted = 0; holder = 0;
	if
	:: len(queue) > 0 -> queue?granted,holder; sends(holder, Reply, granted)
	:: else
	fi
}

active [N] proctype P() {
	byte left = R, mine;
	mtype phase = idle;
	do
	user
	arrivals
	od
}
