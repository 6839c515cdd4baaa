/* Lamport's bakery, step for step as bakery/bakery.go, with numbers up to CAP.
 *
 * Source: L. Lamport, "A new solution of Dijkstra's concurrent programming
 * problem", Communications of the ACM 17(8):453-455, 1974; line numbers as
 * there.
 */

#include "common.pml"

bit choosing[N];
byte number[N];

/* A process does not read its own number: it wrote it. */
#define served (number[j] == 0 || number[j] > number[i] || number[j] == number[i] && j >= i)

active [N] proctype P() {
	byte j, max, k = N;	/* k: whose number the maximum is, until line a; N: none */
	do
	idle
	:: d_step { choosing[i] = 1; requests };			/* 2 */
	   do								/* 3 */
	   :: d_step {
	         j < N -> k = (number[j] > max -> j : k); max = (number[j] > max -> number[j] : max); j++;
	         k = (max == CAP -> N : k)				/* no number is taken */
	      }
	   :: d_step { j == N && max < CAP -> number[i] = max + 1; j = 0; max = 0 } -> break
	   cut(j == N && max == CAP)
	   od;
	   choosing[i] = 0;						/* 4 */
	   do
	   :: d_step { k < N && number[k] != number[i] - 1 -> k = N }	/* a */
	   :: k == N && j < N && choosing[j] == 0;			/* 5, 6 */
	      d_step { served -> j++; if :: j == N -> enters :: else fi }	/* 7 */
	   :: d_step { j == N -> number[i] = 0; j = 0; leaves } -> break	/* 8, 9 */
	   od
	od
}
