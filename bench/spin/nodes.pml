/* Common to the models of message-passing algorithms. N, the number of nodes, and R,
 * the number of requests of each, come from the command line (spin -DN=3 -DR=2), and
 * UNORDERED if messages may overtake each other.
 *
 * A step is one event at one node, with all that the node does: a user requests, a
 * user leaves, or a message arrives. A user requests up to R times, at any time or
 * never. Messages are in transit for any time.
 *
 * A model has the links, whose capacity it is an error to exceed; the local variables of
 * a node; and the handlers of the Go source: request(), receive() of message kind, t
 * from node from, and release().
 */

/* Where users request any number of times (UNBOUNDED), each link is a process of its own, so
 * that it is treated fairly. */
#ifdef UNBOUNDED
#define i (_pid < N -> _pid : (_pid - N) / DEGREE)
#else
#define i _pid
#endif

#define bit(j) (1 << (j))

/* Whether the request of node a at time t is older than that of node b at time u. */
#define before(t, a, u, b) ((t) < (u) || (t) == (u) && (a) < (b))
#define max(t, u) ((t) > (u) -> (t) : (u))

mtype = { idle, waiting, inside };	/* the phases of a user */

/* One link for each ordered pair of nodes, unless the model has a topology. The
 * neighbors have the numbers 1 to DEGREE; a node may have fewer. */
#ifndef TOPOLOGY
#define DEGREE (N-1)
#define neighbor(k) ((i + k) % N)
#define link(from, to) links[(from) * (N-1) + ((to) + N - (from) - 1) % N]
#define LINKS N*(N-1)
#define linked(k)
#endif

/* Temporary values. A breadth-first search (PARALLEL) has no hidden variables: there they are 0
 * between steps. */
#ifdef PARALLEL
#define hidden
#define forget j = 0; t = 0; from = 0; kind = 0
#else
#define forget skip
#endif
hidden byte j, t, from;
hidden mtype kind;

#ifndef UNBOUNDED
#define settled skip
#endif

/* Bookkeeping adds no states: it is a function of the phases and links. */
byte transit, requests, entered;

#define waits  phase = waiting; requests++
#define enters phase = inside; requests--; entered++; assert(entered == 1)
#define leaves phase = idle; entered--
#define done   assert(transit > 0 || entered > 0 || requests == 0); settled; forget	/* no deadlock */

#ifdef UNORDERED
#define send(to, m, at) link(i, to)!!m,at; transit++
#else
#define send(to, m, at) link(i, to)!m,at; transit++
#endif

#ifndef UNBOUNDED
#define user \
	:: d_step { phase == idle && left > 0 -> left--; waits; request(); done } \
	:: d_step { phase == inside -> leaves; release(); done }
#else
#define user \
	idles \
	:: d_step { phase == idle -> waits; request(); done } \
	:: d_step { phase == inside -> leaves; release(); done }
#endif

/* Under weak fairness, every process that is always enabled takes a step. A user who need
 * not request takes this one. */
#ifdef STARVATION
#define idles :: phase == idle
#else
#define idles
#endif

/* On a link that is not FIFO, any message may arrive next. LATEST is the largest time. */
#ifdef UNORDERED
#define gets(k, m, at) \
	:: d_step { linked(k) link(neighbor(k), i)??[m,at] -> link(neighbor(k), i)??m,at; transit--; from = neighbor(k); kind = m; t = at; receive(); done }
#if LATEST <= 3
#define times(k, m) gets(k, m, 1) gets(k, m, 2) gets(k, m, 3)
#elif LATEST <= 9
#define times(k, m) gets(k, m, 1) gets(k, m, 2) gets(k, m, 3) gets(k, m, 4) gets(k, m, 5) gets(k, m, 6) gets(k, m, 7) gets(k, m, 8) gets(k, m, 9)
#else
#error too many times
#endif
#define arrives(k) any(k)
#else
#define arrives(k) \
	:: d_step { linked(k) len(link(neighbor(k), i)) > 0 -> link(neighbor(k), i)?kind,t; transit--; from = neighbor(k); receive(); done }
#endif

#if DEGREE == 1
#define arrivals arrives(1)
#elif DEGREE == 2
#define arrivals arrives(1) arrives(2)
#else
#define arrivals arrives(1) arrives(2) arrives(3)
#endif
