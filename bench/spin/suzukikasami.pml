/* The algorithm of Suzuki and Kasami, step for step as
 * messaging/token/suzukikasami/suzukikasami.go. Node 0 has the token at first.
 *
 * There is one token, so its contents are global.
 *
 * Source: I. Suzuki, T. Kasami, "A distributed mutual exclusion algorithm", ACM
 * Transactions on Computer Systems 3(4):344-349, 1985.
 */

#define LATEST R
#include "nodes.pml"

mtype = { Request, Token };	/* a Request has its number */

#define any(k) times(k, Request) gets(k, Token, 0)

chan links[LINKS] = [R+1] of { mtype, byte };

/* Of the token. */
byte LN[N];
chan Q = [N] of { byte };

inline request() {
	if
	:: hasToken -> enters
	:: else ->
	   RN[i]++;
	   for (j : 1 .. N-1) {
	      send(neighbor(j), Request, RN[i])
	   }
	fi
}

inline receive() {
	if
	:: kind == Request ->
	   RN[from] = max(RN[from], t);
	   if
	   :: hasToken && phase == idle && RN[from] > LN[from] -> Q!from; pass()
	   :: else
	   fi
	:: kind == Token -> hasToken = 1; enters
	fi
}

inline release() {
	LN[i] = RN[i];
	for (j : 0 .. N-1) {
		if
		:: j != i && RN[j] > LN[j] && !Q??[eval(j)] -> Q!j
		:: else
		fi
	}
	pass()
}

inline pass() {
	if
	:: len(Q) > 0 -> Q?t; hasToken = 0; send(t, Token, 0)
	:: else
	fi
}

active [N] proctype P() {
	byte left = R, RN[N];
	bit hasToken = (i == 0);
	mtype phase = idle;
	do
	user
	arrivals
	od
}
