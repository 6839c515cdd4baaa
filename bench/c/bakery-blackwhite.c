/* The twin of bakery/blackwhite.go. */
#include "twin.h"

typedef struct {
	int n;
	word color;
	word *choosing, *ticket; /* a ticket is number << 1 | color */
} lock;

static uint64_t color_of(uint64_t ticket) { return ticket & 1; }
static uint64_t number_of(uint64_t ticket) { return ticket >> 1; }

static void *new(int n)
{
	lock *l = room(sizeof(lock));
	l->n = n;
	l->choosing = words(n);
	l->ticket = words(n);
	return l;
}

/* maximum returns the largest number of color c, and in k a process that has it. */
static uint64_t maximum(lock *l, uint64_t c, int *k)
{
	uint64_t largest = 0;
	for (int j = 0; j < l->n; j++) {
		uint64_t t = load(&l->ticket[j]);
		if (number_of(t) > largest && color_of(t) == c) {
			largest = number_of(t);
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
	store(&l->choosing[i], 1);                /* 1 */
	uint64_t mycolor = load(&l->color);       /* 2 */
	int k = 0;
	uint64_t last = maximum(l, mycolor, &k);  /* 3 */
	uint64_t number = 1 + last;
	store(&l->ticket[i], number << 1 | mycolor);
	store(&l->choosing[i], 0);                /* 4 */
	await(last == 0 || load(&l->ticket[k]) != (last << 1 | mycolor)); /* a */
	for (int j = 0; j < l->n; j++) {          /* 5 */
		uint64_t t;
		await(load(&l->choosing[j]) == 0);    /* 6 */
		t = load(&l->ticket[j]);
		if (number_of(t) == 0)                /* b */
			continue;
		if (color_of(t) == mycolor) {         /* 7 */
			await(number_of(t = load(&l->ticket[j])) == 0 || color_of(t) != mycolor ||
			      !precedes(number_of(t), j, number, i)); /* 8 */
		} else {
			await(number_of(t = load(&l->ticket[j])) == 0 || color_of(t) == mycolor ||
			      load(&l->color) != mycolor);    /* 10 */
		}
	}
}

static void leave(void *p, int i)
{
	lock *l = p;
	uint64_t mycolor = color_of(load(&l->ticket[i]));
	store(&l->color, 1 - mycolor);  /* 12 */
	store(&l->ticket[i], mycolor);  /* 13 */
}

const twin bakery_blackwhite = {"bakery-blackwhite", new, enter, leave};
