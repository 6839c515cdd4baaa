/* Lamport's fast algorithm, step for step as lamportfast/lamportfast.go.
 *
 * There y is a gate (register/word.go): a process that finds it closed stands in
 * line; a process that opens it wakes the first in line, which then checks again.
 * With PLAIN, all processes await it, as in the paper.
 *
 * Source: L. Lamport, "A fast mutual exclusion algorithm", ACM Transactions on
 * Computer Systems 5(1):1-11, 1987; line numbers as there.
 */

#include "common.pml"

#define id (i + 1)

byte x, y;
bit want[N];

#ifndef PLAIN
chan line = [N] of { byte };	/* the sleepers at y, the longest wait first */
bit woken;			/* the first of them must check again */

#define first (woken && line?[eval(id)])
#endif

active [N] proctype P() {
	byte j;
	do
	idle
	:: d_step { want[i] = 1; requests };				/* 2 */
	   do
	   :: x = id;							/* 3 */
	      if
	      :: y != 0 -> want[i] = 0					/* 4, 5 */
	      :: y == 0 ->						/* 4 */
	         y = id;						/* 8 */
	         if
	         :: d_step { x == id -> enters } -> break		/* 9 */
	         :: x != id ->						/* 9 */
	            want[i] = 0;					/* 10 */
	            do							/* 11 */
	            :: d_step { j < N-1 && want[j] == 0 -> j++ }
	            :: d_step { j == N-1 && want[j] == 0 -> j = 0 } -> break
	            od;
	            if
	            :: d_step { y == id -> enters } -> break		/* 12 */
	            :: y != id						/* 12 */
	            fi
	         fi
	      fi;
#ifdef PLAIN
	      y == 0;							/* 6, 13 */
#else
	      if							/* 6, 13 */
	      :: y == 0
	      :: d_step { y != 0 -> line!id } ->
	         do
	         :: d_step { first && y == 0 -> line?eval(id); woken = 0 } -> break
	         :: d_step { first && y != 0 -> woken = 0 }
	         od
	      fi;
#endif
	      want[i] = 1						/* 7, 14; 2 */
	   od;
#ifdef PLAIN
	   step(y = 0; leaves);						/* 15, 16 */
#else
	   step(y = 0; woken = len(line) > 0; leaves);			/* 15, 16 */
#endif
	   want[i] = 0							/* 17 */
	od
}
