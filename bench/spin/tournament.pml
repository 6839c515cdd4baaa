/* A tree of Peterson's algorithm for 3 to 8 processes, step for step as
 * tournament/tournament.go.
 *
 * Source: G. L. Peterson and M. J. Fischer, "Economical solutions for the
 * critical section problem in a distributed system", STOC 1977, 91-97.
 */

#include "common.pml"

#if N > 4
#define W 8
#define H 3
#else
#define W 4
#define H 2
#endif
#define leaf (W + i)

bit want[2*W];	/* by node; 0 and 1 are not used */
bit turn[W];	/* by inner node; 0 is not used */

#define sibling (c ^ 1)
#define side    (c & 1)

/* The children of the root are 2 and 3. */
#define passes if :: c < 4 -> enters :: else fi

active [N] proctype P() {
	byte c;	/* on the way up: the node; on the way down: levels left to lower */
	do
	idle
	:: d_step { c = leaf; want[c] = 1; requests };			/* 2 */
	   do								/* 1 */
	   :: turn[c/2] = side;						/* 3 */
	      if							/* 4: one read, then alternately */
	      :: d_step { want[sibling] == 0 -> passes }
	      :: want[sibling] != 0 ->
	         do
	         :: d_step { want[sibling] == 0 -> passes } -> break
	         :: want[sibling] != 0 ->
	            if
	            :: d_step { turn[c/2] != side -> passes } -> break
	            :: turn[c/2] == side
	            fi
	         od
	      fi;
	      if
	      :: d_step { c >= 4 -> c = c/2; want[c] = 1 }		/* 2 */
	      :: d_step { c < 4 -> want[c] = 0; c = H-1; leaves } -> break	/* 5, 7 */
	      fi
	   od;
	   do								/* 6 */
	   :: d_step { c > 1 -> c--; want[leaf >> c] = 0 }		/* 7 */
	   :: d_step { c == 1 -> c = 0; want[leaf] = 0 } -> break	/* 7 */
	   od
	od
}
