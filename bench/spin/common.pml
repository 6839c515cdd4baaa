/* Common to all models. N, the number of processes, comes from the command
 * line (spin -DN=3), and so does CAP where tickets grow; STARVATION chooses the
 * property.
 *
 * A step is one access to one shared register, together with all local computation
 * up to the next access: a statement, or a d_step of one access and what follows
 * from it. A local variable is 0 wherever it is not needed.
 *
 * A process in its remainder section may make the first access of its entry at
 * any time, or never. It is inside from the last access of its entry to the
 * first of its exit.
 *
 * Bookkeeping adds no states: it is a function of the local states.
 */

#define i _pid

/* Like d_step, as the target of a break: spin jumps into an if, not into a d_step. */
#define step(what) if :: d_step { what } fi

#ifndef STARVATION

byte inside;	/* processes */

#define requests skip
#define enters   inside++; assert(inside == 1)
#define leaves   inside--
#define idle
#define cut(when)

#else

byte waiting;	/* bit k: process k is between request and entry */
bit beyond;	/* a store above CAP was due */

#define requests waiting = waiting | (1 << i)
#define enters   waiting = waiting & ~(1 << i)
#define leaves   skip

/* Under weak fairness, every process that is always enabled takes a step. A process
 * in its remainder section takes this one; spin rejects a plain true here. */
#define idle     :: (waiting & (1 << i)) == 0

/* No run continues from here: no process starves because of the cap. */
#define cut(when) :: d_step { when -> beyond = 1 }

#define starving(k) (!beyond && (waiting & (1 << k)))

/* Some process eventually waits forever. */
never {
	do
	:: !beyond
	:: starving(0) -> goto accept_0
	:: starving(1) -> goto accept_1
#if N > 2
	:: starving(2) -> goto accept_2
#endif
#if N > 3
	:: starving(3) -> goto accept_3
#endif
#if N > 4
	:: starving(4) -> goto accept_4
#endif
#if N > 5
	:: starving(5) -> goto accept_5
#endif
	od;
accept_0: do :: starving(0) od;
accept_1: do :: starving(1) od;
#if N > 2
accept_2: do :: starving(2) od;
#endif
#if N > 3
accept_3: do :: starving(3) od;
#endif
#if N > 4
accept_4: do :: starving(4) od;
#endif
#if N > 5
accept_5: do :: starving(5) od
#endif
}

#endif
