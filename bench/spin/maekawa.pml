/* Maekawa's algorithm as corrected by Sanders, step for step as
 * messaging/permission/maekawa/maekawa.go.
 *
 * Source: M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems",
 * ACM Transactions on Computer Systems 3(2):145-159, 1985; B. A. Sanders, "The
 * information structure of distributed mutual exclusion algorithms", ACM Transactions
 * on Computer Systems 5(3):284-299, 1987.
 */

#include "nodes.pml"

/* What the lectures print: LATE_FAILED omits the Failed to a request that is no longer the first in
 * the queue, LOCK_ONLY also that to a request that is not the first when it arrives. */
#if defined(LATE_FAILED) || defined(LOCK_ONLY)
#define LATE 0
#else
#define LATE 1
#endif
#ifdef LOCK_ONLY
#define QUEUED 0
#else
#define QUEUED 1
#endif

mtype = { Request, Locked, Failed, Inquire, Relinquish, Release };	/* all with the time of the request */

/* The quorum of node a. */
#if N == 2
#define quorum(a) (bit(0) | bit(1))
#elif N == 3
#define quorum(a) (bit(a) | bit(((a) + 1) % 3))
#elif N == 4
#define quorum(a) (15 - bit(((a) + 3) % 4))
#endif

chan links[LINKS] = [4] of { mtype, byte };
chan own = [4] of { mtype, byte };	/* messages of the node to itself; empty after the step */

/* Also to the node itself. */
#define sends(to, m, at) \
	if \
	:: to == i -> own!m,at \
	:: else -> send(to, m, at) \
	fi

hidden byte head, whose;	/* the first in the queue: its time, or 0 if there is none, and its node */

inline broadcast(m) {
	for (j : 0 .. N-1) {
		if
		:: quorum(i) & bit(j) -> sends(j, m, mine)
		:: else
		fi
	}
}

inline request() {
	highest++;
	mine = highest;
	broadcast(Request);
	settle()
}

inline release() {
	broadcast(Release);
	got = 0; failed = 0;
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

inline receive() {
	handle();
	settle()
}

inline handle() {
	if
	:: kind == Request -> requested()
	:: kind == Relinquish ->
	   if
	   :: lock == t && holder == from -> queue!!t,from; grant()
	   :: else
	   fi
	:: kind == Release ->
	   over[from] = max(over[from], t);
	   if
	   :: lock == t && holder == from -> grant()
	   :: !(lock == t && holder == from) && queue??[eval(t),eval(from)] -> queue??eval(t),eval(from)
	   :: else
	   fi
	:: else ->
	   if
	   :: phase == waiting && mine == t && !(kind == Failed && (got & bit(from))) ->
	      if
	      :: kind == Locked -> got = got | bit(from); failed = failed & ~bit(from)
	      :: kind == Failed -> failed = failed | bit(from)
	      :: kind == Inquire -> inquired = inquired | bit(from)
	      fi;
	      enterOrYield()
	   :: else
	   fi
	fi
}

inline enterOrYield() {
	if
	:: got == quorum(i) -> inquired = 0; enters
	:: else ->
	   if
	   :: failed != 0 ->
	      for (j : 0 .. N-1) {
	         if
	         :: inquired & got & bit(j) ->
	            inquired = inquired & ~bit(j);
	            got = got & ~bit(j);
	            failed = failed | bit(j);
	            sends(j, Relinquish, mine)
	         :: else
	         fi
	      }
	   :: else
	   fi
	fi
}

inline requested() {
	highest = max(highest, t);
	if
	:: t <= over[from]
	:: t > over[from] && lock == 0 -> queue!!t,from; grant()
	:: else ->
	   if
	   :: len(queue) > 0 -> queue?<head,whose>
	   :: else
	   fi;
	   queue!!t,from;
	   if
	   :: before(lock, holder, t, from) || QUEUED && head != 0 && before(head, whose, t, from) -> sends(from, Failed, t)
	   :: else ->
	      if
	      :: LATE && head != 0 && before(head, whose, lock, holder) -> sends(whose, Failed, head)
	      :: else
	      fi;
	      if
	      :: !inquiring -> inquiring = 1; sends(holder, Inquire, lock)
	      :: else
	      fi
	   fi;
	   head = 0; whose = 0
	fi
}

inline grant() {
	lock = 0; holder = 0; inquiring = 0;
	if
	:: len(queue) > 0 -> queue?lock,holder; sends(holder, Locked, lock)
	:: else
	fi
}

active [N] proctype P() {
	byte left = R, highest, mine, got, failed, inquired;	/* the requester */
	byte lock, holder, over[N];				/* the arbiter */
	bit inquiring;
	chan queue = [N] of { byte, byte };			/* in the order of their stamps */
	mtype phase = idle;
	do
	user
	arrivals
	od
}
