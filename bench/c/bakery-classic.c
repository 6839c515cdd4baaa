/* The twin of bakery/classic.go. */
#include "twin.h"

typedef struct {
	int n;
	word *choosing, *number;
} lock;

static void *new(int n)
{
	lock *l = room(sizeof(lock));
	l->n = n;
	l->choosing = words(n);
	l->number = words(n);
	return l;
}

static uint64_t maximum(lock *l)
{
	uint64_t largest = 0;
	for (int j = 0; j < l->n; j++) {
		uint64_t number = load(&l->number[j]);
		largest = number > largest ? number : largest;
	}
	return largest;
}

static bool precedes(uint64_t numberj, int j, uint64_t number, int i)
{
	return numberj < number || (numberj == number && j < i);
}

static void enter(void *p, int i)
{
	lock *l = p;
	store(&l->choosing[i], 1);          /* 2 */
	uint64_t number = 1 + maximum(l);   /* 3 */
	store(&l->number[i], number);
	store(&l->choosing[i], 0);          /* 4 */
	for (int j = 0; j < l->n; j++) {    /* 5 */
		uint64_t numberj;
		await(load(&l->choosing[j]) == 0); /* 6 */
		await((numberj = load(&l->number[j])) == 0 || !precedes(numberj, j, number, i)); /* 7 */
	}
}

static void leave(void *p, int i)
{
	lock *l = p;
	store(&l->number[i], 0); /* 9 */
}

const twin bakery_classic = {"bakery-classic", new, enter, leave};
