/* The twin of peterson/peterson.go. */
#include "twin.h"

typedef struct {
	word want[2];
	word turn;
} lock;

static void *new(int n)
{
	(void)n;
	return room(sizeof(lock));
}

static void enter(void *p, int i)
{
	lock *l = p;
	int j = 1 - i;
	store(&l->want[i], 1);          /* 1 */
	store(&l->turn, (uint64_t)i);   /* 2 */
	await(load(&l->want[j]) == 0 || load(&l->turn) != (uint64_t)i); /* 3 */
}

static void leave(void *p, int i)
{
	lock *l = p;
	store(&l->want[i], 0); /* 5 */
}

const twin peterson = {"peterson", new, enter, leave};
