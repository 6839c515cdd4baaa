/* The bakery that takes its number in one atomic step, step for step as
 * bakery/simple.go, with numbers up to CAP.
 *
 * Source: D. Sabel, "Das Mutual-Exclusion-Problem bei n Prozessen", LMU München
 * 2020, "Bakery-Algorithmus: Einfache Variante"; line numbers as there.
 *
 * An atomic step excludes the atomic steps of others, and nothing else: it is held
 * from its first access to its last. Acquiring it is a step of its own.
 */

#include "common.pml"

bit held;
byte number[N];

/* A process does not read its own number: it wrote it. */
#define served (number[j] == 0 || number[j] > number[i] || number[j] == number[i] && j >= i)

active [N] proctype P() {
	byte j, max, k = N;	/* k: whose number the maximum is, until line a; N: none */
	do
	idle
	:: d_step { skip; requests };
	   d_step { held == 0 -> held = 1; max = number[0]; k = (max > 0 -> 0 : N); j = 1 };	/* 2 */
	   do
	   :: d_step { j < N -> k = (number[j] > max -> j : k); max = (number[j] > max -> number[j] : max); j++ }
	   :: d_step { j == N && max < CAP -> number[i] = max + 1; held = 0; j = 0; max = 0 } -> break
	   cut(j == N && max == CAP)
	   od;
	   do								/* 3 */
	   :: d_step { k < N && number[k] != number[i] - 1 -> k = N }	/* a */
	   :: d_step { k == N && j < N && served -> j++; if :: j == N -> enters :: else fi }	/* 4 */
	   :: d_step { j == N -> leaves; j = N + 1 }			/* 5 */
	   :: d_step { j == N + 1 && held == 0 -> number[i] = 0; j = 0 } -> break	/* 6 */
	   od
	od
}
