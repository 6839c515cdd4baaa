/* Peterson's algorithm for two processes, step for step as peterson/peterson.go.
 *
 * Source: G. L. Peterson, "Myths about the mutual exclusion problem",
 * Information Processing Letters 12(3):115-116, 1981.
 */

#include "common.pml"

#define j (1 - i)

bit want[2];
bit turn;

active [2] proctype P() {
	do
	idle
	:: d_step { want[i] = 1; requests };			/* 1 */
	   turn = i;						/* 2 */
	   if							/* 3: one read, then alternately */
	   :: d_step { want[j] == 0 -> enters }
	   :: want[j] != 0 ->
	      do
	      :: d_step { want[j] == 0 -> enters } -> break
	      :: want[j] != 0 ->
	         if
	         :: d_step { turn != i -> enters } -> break
	         :: turn == i
	         fi
	      od
	   fi;
	   step(want[i] = 0; leaves)				/* 4, 5 */
	od
}
