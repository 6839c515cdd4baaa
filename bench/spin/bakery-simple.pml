/* The bakery that takes its number in one atomic step, step for step as
 * bakery/simple.go, with numbers up to CAP. For three or four processes.
 *
 * Source: D. Sabel, "Das Mutual-Exclusion-Problem bei n Prozessen", LMU München
 * 2020, "Bakery-Algorithmus: Einfache Variante"; line numbers as there.
 */

#include "common.pml"

byte number[N];

/* Of its own number a process need not look at the register: it wrote it. */
#define served (number[j] == 0 || number[j] > number[i] || number[j] == number[i] && j >= i)

#define larger(a, b) (a > b -> a : b)
#define largest3     larger(larger(number[0], number[1]), number[2])
#if N == 3
#define maximum largest3
#else
#define maximum larger(largest3, number[3])
#endif

active [N] proctype P() {
	byte j;
	do
	idle
	:: d_step { maximum < CAP -> number[i] = maximum + 1; requests };	/* 2 */
	   do								/* 3 */
	   :: d_step { j < N && served -> j++; if :: j == N -> enters :: else fi }	/* 4 */
	   :: d_step { j == N -> number[i] = 0; j = 0; leaves } -> break	/* 5, 6 */
	   od
	od
}
