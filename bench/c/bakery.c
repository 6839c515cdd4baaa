/* The twin of bakery/packed.go: the same registers, and the same scans of four. */
#include "twin.h"

typedef struct {
	int m, shift; /* registers, n rounded up to a multiple of four; a ticket is number << shift | name */
	word *ticket;
} lock;

static const uint64_t choosing = 1;

static void *new(int n)
{
	lock *l = room(sizeof(lock));
	l->m = (n + 3) & ~3;
	while (n >> l->shift)
		l->shift++;
	l->ticket = words(l->m);
	return l;
}

/* others reports whether any process but i has a ticket or is choosing. */
static bool others(lock *l, int i)
{
	word *t = l->ticket, *own = t + (i & ~3), *end = t + l->m;
	for (; t < own; t += 4)
		if (load(&t[0]) | load(&t[1]) | load(&t[2]) | load(&t[3]))
			return true;
	if (load(&own[(i + 1) & 3]) | load(&own[(i + 2) & 3]) | load(&own[(i + 3) & 3]))
		return true;
	for (t = own + 4; t < end; t += 4)
		if (load(&t[0]) | load(&t[1]) | load(&t[2]) | load(&t[3]))
			return true;
	return false;
}

static uint64_t largest(lock *l)
{
	uint64_t a = 0, b = 0;
	for (word *t = l->ticket, *end = t + l->m; t < end; t += 2) {
		uint64_t v = load(&t[0]), w = load(&t[1]);
		a = v > a ? v : a;
		b = w > b ? w : b;
	}
	return a > b ? a : b;
}

static bool before(word *t, uint64_t mine)
{
	return load(&t[0]) - 1 < mine - 1 || load(&t[1]) - 1 < mine - 1 ||
	       load(&t[2]) - 1 < mine - 1 || load(&t[3]) - 1 < mine - 1;
}

static void leave(void *p, int i)
{
	lock *l = p;
	store(&l->ticket[i], 0); /* 9 */
}

static void enter(void *p, int i)
{
	lock *l = p;
	store(&l->ticket[i], choosing);                         /* 2 */
	uint64_t last = others(l, i) ? largest(l) : choosing;   /* 3 */
	uint64_t mine = ((last >> l->shift) + 1) << l->shift | ((uint64_t)i + 1);
	store(&l->ticket[i], mine);                             /* 4 */
	if (last == choosing && !others(l, i))
		return;                                             /* 5 to 7 */
	if (last > choosing) {                                  /* a */
		word *k = &l->ticket[(last & ((1u << l->shift) - 1)) - 1];
		await(load(k) != last);
	}
	for (word *t = l->ticket, *end = t + l->m; t < end; t += 4) { /* 5 */
		if (!before(t, mine))
			continue;
		for (int j = 0; j < 4; j++) {
			uint64_t v;
			await(load(&t[j]) != choosing);                 /* 6 */
			await((v = load(&t[j])) <= choosing || v >= mine); /* 7 */
		}
	}
}

const twin bakery = {"bakery", new, enter, leave};
