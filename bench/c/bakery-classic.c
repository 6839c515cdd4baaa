/* The twin of bakery/bakery.go. */
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

/* maximum returns the largest number, and in k a process that has it. */
static uint64_t maximum(lock *l, int *k)
{
	uint64_t largest = 0;
	for (int j = 0; j < l->n; j++) {
		uint64_t number = load(&l->number[j]);
		if (number > largest) {
			largest = number;
			*k = j;
		}
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
	int k = 0;
	uint64_t last = maximum(l, &k);     /* 3 */
	uint64_t number = 1 + last;
	store(&l->number[i], number);
	store(&l->choosing[i], 0);          /* 4 */
	await(last == 0 || load(&l->number[k]) != last); /* a */
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
