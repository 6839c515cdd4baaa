/* Taubenfeld's black-white bakery, step for step as bakery/blackwhite.go, with
 * color and number in one register.
 *
 * Source: G. Taubenfeld, "The Black-White Bakery algorithm and related
 * bounded-space, adaptive, local-spinning and FIFO algorithms", DISC 2004, LNCS
 * 3274, 56-70; line numbers as there.
 */

#include "common.pml"

bit color;
bit choosing[N];
byte ticket[N];	/* number << 1 | color */

/* A process does not read its own ticket: it wrote it. */
#define colorof(p)  (ticket[p] & 1)
#define numberof(p) (ticket[p] >> 1)
#define same        (colorof(j) == colorof(i))
#define larger      (colorof(j) == mycolor && numberof(j) > max)
#define served      (numberof(j) == 0 || numberof(j) > numberof(i) || numberof(j) == numberof(i) && j >= i)
#define passes      j++; if :: j == N -> enters :: else fi

active [N] proctype P() {
	byte j, max, k = N;	/* k: whose number the maximum is, until line a; N: none */
	bit mycolor;
	do
	idle
	:: d_step { choosing[i] = 1; requests };			/* 1 */
	   mycolor = color;						/* 2 */
	   do								/* 3 */
	   :: d_step { j < N -> k = (larger -> j : k); max = (larger -> numberof(j) : max); j++ }
	   :: d_step { j == N -> ticket[i] = (max+1) << 1 | mycolor; j = 0; max = 0; mycolor = 0 } -> break
	   od;
	   choosing[i] = 0;						/* 4 */
	   do
	   :: d_step { k < N && ticket[k] != ticket[i] - 2 -> k = N }	/* a */
	   :: k == N && j < N && choosing[j] == 0;			/* 5, 6 */
	      if
	      :: d_step { numberof(j) == 0 -> passes }			/* b */
	      :: numberof(j) > 0 && same -> d_step { served || !same -> passes }		/* 7, 8 */
	      :: numberof(j) > 0 && !same ->				/* 9, 10 */
	         do
	         :: d_step { numberof(j) == 0 || same -> passes } -> break
	         :: !(numberof(j) == 0 || same) ->
	            if
	            :: d_step { color != colorof(i) -> passes } -> break
	            :: color == colorof(i)
	            fi
	         od
	      fi
	   :: d_step { j == N -> mycolor = colorof(i); j = 0; leaves } -> break	/* 11 */
	   od;
	   color = 1 - mycolor;						/* 12 */
	   d_step { ticket[i] = mycolor; mycolor = 0 }			/* 13 */
	od
}
