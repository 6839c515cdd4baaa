/* The twin of lamportfast/lamportfast.go. */
#include "twin.h"

typedef struct {
	int n;
	word x, y; /* name processes from 1 */
	word *want;
} lock;

static void *new(int n)
{
	lock *l = room(sizeof(lock));
	l->n = n;
	l->want = words(n);
	return l;
}

static void enter(void *p, int i)
{
	lock *l = p;
	uint64_t id = (uint64_t)i + 1;
	for (;;) {
		store(&l->want[i], 1);      /* 2 */
		store(&l->x, id);           /* 3 */
		if (load(&l->y) != 0) {     /* 4 */
			store(&l->want[i], 0);  /* 5 */
			await(load(&l->y) == 0); /* 6 */
			continue;               /* 7 */
		}
		store(&l->y, id);           /* 8 */
		if (load(&l->x) == id)      /* 9 */
			return;
		store(&l->want[i], 0);      /* 10 */
		for (int j = 0; j < l->n; j++) /* 11 */
			await(load(&l->want[j]) == 0);
		if (load(&l->y) == id)      /* 12 */
			return;
		await(load(&l->y) == 0);    /* 13, 14 */
	}
}

static void leave(void *p, int i)
{
	lock *l = p;
	store(&l->y, 0);       /* 16 */
	store(&l->want[i], 0); /* 17 */
}

const twin lamportfast = {"lamportfast", new, enter, leave};
