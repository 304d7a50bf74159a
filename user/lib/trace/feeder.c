// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Plain events that a second thread makes ahead of the one that takes them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/past_cache.h"
#include "base/threads.h"
#include "trace/feeder.h"

/*
 * 1.3 MiB with their events: packets of two streams end at about one time, and to unpack the next
 * ones takes as long as to take half of these.
 */
#define N_BATCHES	256
#define FEW		4	/* are worth to be woken for */
#define SPINS		400	/* some us: what it takes to wake a thread */
#define NAP_NS		100000
#define LONGEST_NAP_NS	1000000
#define LOOK_NS		1000000	/* a look covers that, or up to ten times as much */

/**
 * struct side - what one of the threads writes, in a line of its own
 * @done: batches that it has made, or taken
 * @sleeps: it waits for the other one, which must wake it
 */
struct side {
	_Alignas(LT_LINE) _Atomic size_t done;
	atomic_bool sleeps;
};

/**
 * struct lt_feeder - batches between two threads
 * @made, @taken: made - taken batches are ready. Only the maker writes the batch at index made,
 *	only the taker reads that at index taken; storing @done gives the batch to the other one.
 * @runs: set by the taker, to start the maker; cleared by the maker, which uses nothing of its
 *	argument from then on. Who sees it cleared sees all that the maker has written.
 * @hold: the taker wants it to be cleared soon
 * @over: the thread is to end
 * @has: the taker uses the batch at index taken
 * @sleeps: how often the taker slept since the maker was started
 * @looked_ns, @looked_cpu_ns: when it was looked how much CPU time the maker had, and that time
 * @nap_ns: how long the maker sleeps when all batches are made
 * @own: the batch that is being made
 * @lock: held while a thread goes to sleep, or is woken
 */
struct lt_feeder {
	lt_feed_fn *make;
	void *arg;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t to_maker;
	pthread_cond_t to_taker;
	bool has;
	size_t sleeps;
	uint64_t looked_ns;
	uint64_t looked_cpu_ns;
	long nap_ns;
	struct side made;
	struct side taken;
	_Alignas(LT_LINE) atomic_bool runs;
	atomic_bool hold;
	atomic_bool over;
	_Alignas(LT_LINE) struct lt_fed own;
	_Alignas(LT_LINE) struct {
		_Alignas(LT_LINE) struct lt_fed batch;
	} ring[N_BATCHES];
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/*
 * All of these are sequentially consistent: a thread says that it sleeps before it looks again for
 * what it waits for, and the other one does that before it looks for sleepers.
 */
static size_t n_ready(struct lt_feeder *f)
{
	size_t taken = f->taken.done;

	return f->made.done - taken;
}

typedef bool condition_fn(struct lt_feeder *f);

static bool maker_can_go_on(struct lt_feeder *f)
{
	return n_ready(f) < N_BATCHES || f->hold;
}

/* To wake a thread takes as long as to make some batches. */
static bool maker_is_to_wake(struct lt_feeder *f)
{
	return n_ready(f) <= N_BATCHES / 2 || f->hold;
}

static bool maker_is_started(struct lt_feeder *f)
{
	return f->runs || f->over;
}

static bool taker_can_go_on(struct lt_feeder *f)
{
	return n_ready(f) || !f->runs;
}

static bool taker_is_to_wake(struct lt_feeder *f)
{
	return n_ready(f) >= FEW || !f->runs;
}

static bool maker_has_stopped(struct lt_feeder *f)
{
	return !f->runs;
}

static void sleep_until(struct lt_feeder *f, struct side *s, pthread_cond_t *woken,
			condition_fn *met)
{
	pthread_mutex_lock(&f->lock);
	for (;;) {
		s->sleeps = true;
		if (met(f))
			break;
		pthread_cond_wait(woken, &f->lock);
	}
	s->sleeps = false;
	pthread_mutex_unlock(&f->lock);
}

/* Waits a little until @met, then sleeps until @woken. Return: whether it slept. */
static bool wait_for(struct lt_feeder *f, struct side *s, pthread_cond_t *cond, condition_fn *met,
		     condition_fn *woken)
{
	for (int i = 0; i < SPINS; i++) {
		if (met(f))
			return false;
		relax();
	}
	sleep_until(f, s, cond, woken);
	return true;
}

static void wake(struct lt_feeder *f, struct side *s, pthread_cond_t *cond)
{
	if (!s->sleeps)
		return;
	pthread_mutex_lock(&f->lock);
	/* Once: it takes a while until it runs. */
	s->sleeps = false;
	pthread_mutex_unlock(&f->lock);
	pthread_cond_signal(cond);
}

/*
 * Sleeps for about as long as half of the batches last. To wake a thread takes as long as to take
 * some of them, and the taker, for which all is made, mostly has more to do.
 * Return: whether any were taken.
 */
static bool nap(struct lt_feeder *f)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += f->nap_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&f->lock);
	while (!f->hold && !err)
		err = pthread_cond_timedwait(&f->to_maker, &f->lock, &until);
	pthread_mutex_unlock(&f->lock);
	if (n_ready(f) > N_BATCHES / 2 && f->nap_ns < LONGEST_NAP_NS)
		f->nap_ns += f->nap_ns / 4;
	else if (n_ready(f) < N_BATCHES / 4)
		f->nap_ns = f->nap_ns / 2 + 1;
	return maker_can_go_on(f);
}

/* Gives a batch to the other thread, which has read what was there before. */
static void hand_over(struct lt_fed *to, const struct lt_fed *from)
{
	lt_copy_past_cache(to, from, offsetof(struct lt_fed, evs) + from->n * sizeof(from->evs[0]));
	/* Before the number of batches. */
	lt_past_cache_end();
}

static void make_batches(struct lt_feeder *f)
{
	bool more = true;

	while (more) {
		if (!maker_can_go_on(f) && !nap(f))
			sleep_until(f, &f->made, &f->to_maker, maker_is_to_wake);
		if (f->hold)
			break;
		more = f->make(f->arg, &f->own);
		hand_over(&f->ring[f->made.done % N_BATCHES].batch, &f->own);
		f->made.done += f->own.n > 0;
		if (taker_is_to_wake(f))
			wake(f, &f->taken, &f->to_taker);
	}
	f->runs = false;
	wake(f, &f->taken, &f->to_taker);
}

static void *maker(void *arg)
{
	struct lt_feeder *f = arg;

	for (;;) {
		wait_for(f, &f->made, &f->to_maker, maker_is_started, maker_is_started);
		if (f->over)
			return NULL;
		make_batches(f);
	}
}

/* There is no second thread. */
static void destroy(struct lt_feeder *f)
{
	pthread_cond_destroy(&f->to_taker);
	pthread_cond_destroy(&f->to_maker);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

struct lt_feeder *lt_feeder_new(lt_feed_fn *make, void *arg)
{
	struct lt_feeder *f;
	pthread_condattr_t attr;

	if (posix_memalign((void **)&f, LT_LINE, sizeof(*f)))
		return NULL;
	f->make = make;
	f->arg = arg;
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&f->to_maker, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&f->to_taker, NULL);
	f->has = false;
	f->sleeps = 0;
	f->looked_ns = f->looked_cpu_ns = 0;
	f->nap_ns = NAP_NS;
	atomic_init(&f->made.done, 0);
	atomic_init(&f->made.sleeps, false);
	atomic_init(&f->taken.done, 0);
	atomic_init(&f->taken.sleeps, false);
	atomic_init(&f->runs, false);
	atomic_init(&f->hold, false);
	atomic_init(&f->over, false);
	if (lt_start_thread(&f->thread, maker, f))
		return f;
	destroy(f);
	return NULL;
}

void lt_feeder_free(struct lt_feeder *f)
{
	if (!f)
		return;
	lt_feeder_hold(f);
	f->over = true;
	wake(f, &f->made, &f->to_maker);
	pthread_join(f->thread, NULL);
	destroy(f);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void look(struct lt_feeder *f, uint64_t now)
{
	clockid_t clock;

	f->looked_ns = now;
	/* Without such a clock it never has any, and each look finds that it lacks a CPU. */
	f->looked_cpu_ns = pthread_getcpuclockid(f->thread, &clock) ? 0 : ns_of(clock);
}

bool lt_feeder_lacks_cpu(struct lt_feeder *f)
{
	const uint64_t now = ns_of(CLOCK_MONOTONIC), span = now - f->looked_ns;
	const uint64_t cpu_ns = f->looked_cpu_ns;

	if (span < LOOK_NS)
		return false;
	look(f, now);
	/* In a longer time it may have slept since all batches were made. */
	return span < 10 * LOOK_NS && (f->looked_cpu_ns - cpu_ns) * 4 < span * 3;
}

void lt_feeder_start(struct lt_feeder *f)
{
	f->sleeps = 0;
	look(f, ns_of(CLOCK_MONOTONIC));
	f->runs = true;
	wake(f, &f->made, &f->to_maker);
}

/* Batches are in memory, past the cache: the next one comes while the present one is taken. */
static void expect(const struct lt_fed *batch)
{
	const char *at = (const char *)batch;

	for (size_t i = 0; i < sizeof(*batch); i += LT_LINE)
		__builtin_prefetch(at + i, 0, 2);
}

const struct lt_fed *lt_feeder_next(struct lt_feeder *f)
{
	if (f->has) {
		f->taken.done++;
		f->has = false;
		/* One that does not run waits for something else. */
		if (f->runs && maker_is_to_wake(f))
			wake(f, &f->made, &f->to_maker);
	}
	f->sleeps += wait_for(f, &f->taken, &f->to_taker, taker_can_go_on, taker_is_to_wake);
	/* A batch may have been made between the two looks at what is waited for. */
	if (!n_ready(f) && !f->runs && !n_ready(f))
		return NULL;
	f->has = true;
	if (n_ready(f) > 1)
		expect(&f->ring[(f->taken.done + 1) % N_BATCHES].batch);
	return &f->ring[f->taken.done % N_BATCHES].batch;
}

size_t lt_feeder_sleeps(const struct lt_feeder *f)
{
	return f->sleeps;
}

void lt_feeder_hold(struct lt_feeder *f)
{
	if (!f->runs)
		return;
	f->hold = true;
	pthread_mutex_lock(&f->lock);
	pthread_cond_signal(&f->to_maker);
	pthread_mutex_unlock(&f->lock);
	wait_for(f, &f->taken, &f->to_taker, maker_has_stopped, maker_has_stopped);
	f->hold = false;
}
