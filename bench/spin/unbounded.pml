/* The algorithm of Ricart and Agrawala with any number of requests: what ricartagrawala.pml
 * needs if UNBOUNDED is defined.
 *
 * Times are only compared, so after each step all are made smaller by the same number, such
 * that the least is 1; clocks are 1 at first. What a node does not need is 0.
 */

typedef row { byte by[N] }

byte highestOf[N] = 1, mineOf[N], repliesOf[N];
row deferredOf[N];
mtype phaseOf[N] = idle;

#define highest  highestOf[i]
#define mine     mineOf[i]
#define replies  repliesOf[i]
#define deferred deferredOf[i].by
#define phase    phaseOf[i]

hidden byte low, k;

#define least(at) low = (at != 0 && at < low -> at : low)
#define lower(at) at = (at != 0 -> at - low : 0)
#define settled   shift()

inline shift() {
	low = 255;
	for (j : 0 .. N-1) {
		if
		:: phaseOf[j] != waiting -> mineOf[j] = 0; repliesOf[j] = 0
		:: else
		fi;
		least(highestOf[j]);
		least(mineOf[j]);
		for (k : 0 .. N-1) {
			least(deferredOf[j].by[k])
		}
	}
	for (k : 0 .. LINKS-1) {
		for (j : 1 .. len(links[k])) {
			links[k]?kind,t;
			links[k]!kind,t;
			least(t)
		}
	}
	low--;
	for (j : 0 .. N-1) {
		lower(highestOf[j]);
		lower(mineOf[j]);
		for (k : 0 .. N-1) {
			lower(deferredOf[j].by[k])
		}
	}
	for (k : 0 .. LINKS-1) {
		for (j : 1 .. len(links[k])) {
			links[k]?kind,t;
			links[k]!kind,t-low
		}
	}
}

#ifdef STARVATION
/* Some node eventually waits forever. */
never {
	do
	:: true
	:: phaseOf[0] == waiting -> goto accept_0
	:: phaseOf[1] == waiting -> goto accept_1
#if N > 2
	:: phaseOf[2] == waiting -> goto accept_2
#endif
	od;
accept_0: do :: phaseOf[0] == waiting od;
accept_1: do :: phaseOf[1] == waiting od;
#if N > 2
accept_2: do :: phaseOf[2] == waiting od
#endif
}
#endif
