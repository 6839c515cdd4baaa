/* The twin of tournament/tournament.go. */
#include "twin.h"

typedef struct {
	int height;
	word *want, *turn; /* by node, numbered as in a heap */
} lock;

static void *new(int n)
{
	lock *l = room(sizeof(lock));
	while (1 << l->height < n)
		l->height++;
	l->want = words(2 << l->height);
	l->turn = words(1 << l->height);
	return l;
}

static void enter(void *p, int i)
{
	lock *l = p;
	for (int c = (1 << l->height) + i; c > 1; c /= 2) { /* 1 */
		uint64_t side = c & 1;
		store(&l->want[c], 1);        /* 2 */
		store(&l->turn[c / 2], side); /* 3 */
		await(load(&l->want[c ^ 1]) == 0 || load(&l->turn[c / 2]) != side); /* 4 */
	}
}

static void leave(void *p, int i)
{
	lock *l = p;
	int leaf = (1 << l->height) + i;
	for (int k = l->height - 1; k >= 0; k--) /* 6 */
		store(&l->want[leaf >> k], 0);   /* 7 */
}

const twin tournament = {"tournament", new, enter, leave};
