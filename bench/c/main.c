/* Measures the C twins at the command of its standard input, a line each:
 *
 *	alone  lock n nanoseconds    prints the nanoseconds of an entry and exit of process 0
 *	pair   lock n nanoseconds    prints the entries per second of processes 0 and 1, a thread each
 *	count  lock n threads rounds prints what the threads counted inside, which is threads times rounds
 *	pinned                       prints 1 if the threads of a pair are pinned to a processor each, else 0
 *
 * Inside, a process adds one to a variable.
 */
#define _GNU_SOURCE
#include "twin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const twin *const twins[] = {
	&peterson, &tournament, &lamportfast, &bakery, &bakery_classic, &bakery_blackwhite,
};

enum { line = 64, most = 8 /* threads */ };

void *room(size_t size)
{
	size = (size + line - 1) / line * line;
	void *p = aligned_alloc(line, size);
	if (!p)
		abort();
	return memset(p, 0, size);
}

word *words(int n) { return room((size_t)n * sizeof(word)); }

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* pin pins this thread to the k-th processor that it may use, and reports whether it could. */
static bool pin(int k)
{
#ifdef __linux__
	cpu_set_t all, one;
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all) && k-- == 0) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			return sched_setaffinity(0, sizeof one, &one) == 0;
		}
	}
#endif
	(void)k;
	return false;
}

/* What the lock guards, and what ends the loops, each on a line of its own. */
static struct {
	_Alignas(line) uint64_t count;
	_Alignas(line) atomic_bool over;
	_Alignas(line) atomic_int ready;
	_Alignas(line) atomic_bool pinned;
} shared;

static void rounds(const twin *t, void *lock, int i, long n)
{
	while (n-- > 0) {
		t->enter(lock, i);
		shared.count++;
		t->leave(lock, i);
	}
}

static double alone(const twin *t, void *lock, double length)
{
	const long batch = 512;
	rounds(t, lock, 0, batch);
	long n = 0;
	double start = now(), took = 0;
	for (; took < length || n == 0; took = now() - start, n += batch)
		rounds(t, lock, 0, batch);
	return took / (double)n;
}

typedef struct {
	const twin *twin;
	void *lock;
	int i;
	bool pin;
	long rounds; /* 0: until it is over */
	uint64_t entries;
} thread;

static void *run(void *p)
{
	thread *t = p;
	if (t->pin && !pin(t->i))
		atomic_store(&shared.pinned, false);
	atomic_fetch_add(&shared.ready, -1);
	while (atomic_load(&shared.ready) > 0)
		sched_yield();
	if (t->rounds) {
		rounds(t->twin, t->lock, t->i, t->rounds);
		return NULL;
	}
	uint64_t entries = 0;
	while (!atomic_load_explicit(&shared.over, memory_order_relaxed)) {
		rounds(t->twin, t->lock, t->i, 1);
		entries++;
	}
	t->entries = entries;
	return NULL;
}

/* contend runs threads for a length in nanoseconds, or so many rounds each, and
 * returns their entries per second. */
static double contend(const twin *t, void *lock, int threads, bool pinned, double length, long each)
{
	pthread_t ids[most];
	thread of[most];
	atomic_store(&shared.over, false);
	atomic_store(&shared.pinned, pinned);
	atomic_store(&shared.ready, threads + 1);
	for (int i = 0; i < threads; i++) {
		of[i] = (thread){t, lock, i, pinned, each, 0};
		if (pthread_create(&ids[i], NULL, run, &of[i]) != 0)
			abort();
	}
	while (atomic_load(&shared.ready) > 1)
		sched_yield();
	double start = now();
	atomic_store(&shared.ready, 0);
	if (!each) {
		struct timespec d = {(time_t)(length / 1e9), (long)length % 1000000000};
		nanosleep(&d, NULL);
	}
	atomic_store(&shared.over, true);
	double took = now() - start;
	uint64_t entries = 0;
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		entries += of[i].entries;
	}
	return (double)entries / took * 1e9;
}

static const twin *find(const char *name)
{
	for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
		if (strcmp(twins[k]->name, name) == 0)
			return twins[k];
	return NULL;
}

int main(void)
{
	char command[128], what[16], name[32];
	while (fgets(command, sizeof command, stdin)) {
		int n = 0;
		double a = 0, b = 0;
		int fields = sscanf(command, "%15s %31s %d %lf %lf", what, name, &n, &a, &b);
		const twin *t = fields < 4 ? NULL : find(name);
		if (fields >= 1 && strcmp(what, "pinned") == 0) {
			contend(&peterson, peterson.new(2), 2, true, 0, 1);
			printf("%d\n", atomic_load(&shared.pinned));
		} else if (t && n >= 1 && strcmp(what, "alone") == 0) {
			printf("%.17g\n", alone(t, t->new(n), a));
		} else if (t && n >= 2 && strcmp(what, "pair") == 0) {
			printf("%.17g\n", contend(t, t->new(n), 2, true, a, 0));
		} else if (t && fields == 5 && n >= a && a >= 1 && a <= most && b >= 1 && strcmp(what, "count") == 0) {
			shared.count = 0;
			contend(t, t->new(n), (int)a, false, 0, (long)b);
			printf("%llu\n", (unsigned long long)shared.count);
		} else {
			fprintf(stderr, "twins: cannot %s", command);
			return 2;
		}
		fflush(stdout);
	}
	return 0;
}
