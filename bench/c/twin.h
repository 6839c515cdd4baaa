/* What the C twins share: registers, waiting, and how main.c calls a lock.
 *
 * Registers are those of package register: sequentially consistent, 64 bits, 16
 * bytes apart. The lines of the papers are numbered as in the Go sources.
 */
#ifndef TWIN_H
#define TWIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	_Atomic uint64_t value;
	uint64_t room; /* where Go has the line of waiters */
} word;

static inline uint64_t load(word *w) { return atomic_load(&w->value); }
static inline void store(word *w, uint64_t v) { atomic_store(&w->value, v); }

/* await spins until the condition holds: a while with a pause of the processor
 * each time, then it yields to other threads. */
#define await(condition) \
	for (unsigned turns = 0; !(condition); rest(&turns)) { }

static inline void rest(unsigned *turns)
{
	if (++*turns % 128 == 0)
		sched_yield();
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* A twin is an algorithm. new returns a free lock for n processes, 0 to n-1, which
 * is not freed: a window of measurement has a new one. */
typedef struct {
	const char *name; /* in the catalog of the Go library */
	void *(*new)(int n);
	void (*enter)(void *lock, int i);
	void (*leave)(void *lock, int i);
} twin;

extern const twin peterson, tournament, lamportfast, bakery, bakery_classic, bakery_blackwhite;

/* words returns n registers that are 0, at the start of a cache line. */
word *words(int n);

/* room returns memory of that size, zeroed, at the start of a cache line. */
void *room(size_t size);

#endif
