// SPDX-License-Identifier: GPL-2.0
/*
 * Elements from one thread to another, through a ring of batches.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/past_cache.h"
#include "base/threads.h"
#include "out/handoff.h"
#include "out/log.h"

#define BATCH		256	/* elements */
#define N_BATCHES	32	/* of 8, waking was a tenth of the CPU time */

/*
 * made - taken batches are ready to be taken. Only the making thread writes the batch at
 * index made, only the taking thread reads the batch at index taken. Waking a thread costs as
 * much as some hundred elements, so a thread that must wait waits until half of the batches
 * are ready for it.
 */
struct lt_handoff_more {
	lt_handoff_fn *take;
	void *arg;
	pthread_t thread;
	pthread_mutex_t lock;		/* protects changed, made, taken, over */
	pthread_cond_t changed;
	size_t made;
	size_t taken;
	bool over;
	atomic_bool refused;
	struct lt_handoff_batch batches[N_BATCHES];
};

static void take_batch(struct lt_handoff_more *m, struct lt_handoff_batch *b)
{
	if (b->n && !atomic_load_explicit(&m->refused, memory_order_relaxed) &&
	    !m->take(m->arg, b->elements, b->n, b->further))
		atomic_store_explicit(&m->refused, true, memory_order_relaxed);
	b->n = 0;
	b->n_further = 0;
}

static void *taker(void *arg)
{
	struct lt_handoff_more *m = arg;

	pthread_mutex_lock(&m->lock);
	for (;;) {
		if (m->made == m->taken) {
			while (m->made - m->taken < N_BATCHES / 2 && !m->over)
				pthread_cond_wait(&m->changed, &m->lock);
		}
		if (m->made == m->taken)
			break;
		pthread_mutex_unlock(&m->lock);
		take_batch(m, &m->batches[m->taken % N_BATCHES]);
		pthread_mutex_lock(&m->lock);
		m->taken++;
		if (m->made - m->taken == N_BATCHES / 2)
			pthread_cond_signal(&m->changed);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

static void *alloc_elements(size_t n)
{
	void *elements;

	if (posix_memalign(&elements, LT_HANDOFF_ELEMENT, n * LT_HANDOFF_ELEMENT))
		lt_die("out of memory (%zu elements)", n);
	return elements;
}

struct lt_handoff *lt_handoff_new(size_t further, bool thread, lt_handoff_fn *take, void *arg)
{
	struct lt_handoff *h = lt_alloc(sizeof(*h));
	struct lt_handoff_more *m = lt_alloc(sizeof(*m));

	m->take = take;
	m->arg = arg;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->changed, NULL);
	h->further = further;
	h->more = m;
	h->filling = &m->batches[0];
	h->threaded = thread && lt_have_second_cpu() &&
		      !pthread_create(&m->thread, NULL, taker, m);
	h->batch = h->threaded ? BATCH : 1;
	for (size_t i = 0; i < (h->threaded ? N_BATCHES : 1); i++) {
		m->batches[i].elements = alloc_elements(h->batch);
		m->batches[i].further = lt_alloc_array(h->batch, further);
	}
	return h;
}

void lt_handoff_submit(struct lt_handoff *h)
{
	struct lt_handoff_more *m = h->more;

	if (!h->threaded) {
		take_batch(m, h->filling);
		return;
	}
	/* Before the number of batches. */
	lt_past_cache_end();
	pthread_mutex_lock(&m->lock);
	m->made++;
	if (m->made - m->taken == N_BATCHES / 2)
		pthread_cond_signal(&m->changed);
	if (m->made - m->taken == N_BATCHES) {
		while (m->made - m->taken > N_BATCHES / 2)
			pthread_cond_wait(&m->changed, &m->lock);
	}
	pthread_mutex_unlock(&m->lock);
	h->filling = &m->batches[m->made % N_BATCHES];
}

bool lt_handoff_refused(const struct lt_handoff *h)
{
	return atomic_load_explicit(&h->more->refused, memory_order_relaxed);
}

void lt_handoff_finish(struct lt_handoff *h)
{
	struct lt_handoff_more *m;

	if (!h)
		return;
	m = h->more;
	lt_handoff_submit(h);
	if (h->threaded) {
		pthread_mutex_lock(&m->lock);
		m->over = true;
		pthread_cond_signal(&m->changed);
		pthread_mutex_unlock(&m->lock);
		pthread_join(m->thread, NULL);
	}
	for (size_t i = 0; i < N_BATCHES; i++) {
		free(m->batches[i].elements);
		free(m->batches[i].further);
	}
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
	free(m);
	free(h);
}
