// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets that a second thread reads ahead. It takes one after the other; the first thread, which wants
 * them in another order where there are several streams, reads itself what is not begun when it wants it, and
 * others where it would wait. Who reads a packet also looks for the records that are taken of it: it is in
 * the cache of that thread's processor.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/threads.h"
#include "trace/loader.h"

#define N_SLOTS		8	/* packets that were read and not taken */
#define FEW		64	/* packets do not pay for a thread */

/* @FREE: nobody has begun to read the packet; @GONE: it is with the first thread. */
enum state { FREE, READING, READ, GONE };

struct job {
	const struct lt_stream_dir *s;
	const struct lt_packet_ref *ref;
	enum state state;
	unsigned int slot;
};

/* What lt_dir_load() gives of a packet, and, if some of its records are taken, lt_packet_find(). */
struct slot {
	bool used;
	bool skims;
	bool counted;
	int ret;
	struct lt_buf buf;
	struct lt_packet packet;
	struct lt_why why;
	struct lt_found found;
	uint64_t tally[LT_N_CLASSES];
};

/**
 * struct lt_loader - packets between two threads
 * @own: the file as the second thread has it, if it is a set, of which files are opened as they are read
 * @jobs: the packets, by offset; the second thread has come to @next
 * @packed: scratch of the second thread, and of the first one
 * @lock: of the states of jobs and slots, and of @over; the rest of a slot is with the thread that reads its
 *	packet, and then with the first one
 */
struct lt_loader {
	const struct lt_trace *t;
	struct lt_file *own;
	struct job *jobs;
	size_t n;
	size_t cap;
	size_t next;
	struct slot slots[N_SLOTS];
	struct lt_buf packed[2];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t taken;
	pthread_cond_t read;
	bool over;
};

static unsigned int free_slot(const struct lt_loader *l)
{
	unsigned int i = 0;

	while (i < N_SLOTS && l->slots[i].used)
		i++;
	return i;
}

/* With the lock held. Return: the next packet that nobody reads yet, with a slot; NULL: there is none. */
static struct job *next_job(struct lt_loader *l)
{
	unsigned int slot = free_slot(l);

	while (l->next < l->n && l->jobs[l->next].state != FREE)
		l->next++;
	if (l->next == l->n || slot == N_SLOTS)
		return NULL;
	l->slots[slot].used = true;
	l->jobs[l->next].slot = slot;
	l->jobs[l->next].state = READING;
	return &l->jobs[l->next];
}

/* With the lock held, which is given up meanwhile. */
static void read_packet(struct lt_loader *l, struct job *job, const struct lt_file *f, struct lt_buf *packed)
{
	const struct lt_trace *t = l->t;
	struct slot *slot = &l->slots[job->slot];

	pthread_mutex_unlock(&l->lock);
	slot->skims = false;
	slot->ret = lt_dir_load(&t->dir, f, job->s, job->ref, &slot->buf, packed, &slot->packet, &slot->why);
	if (!slot->ret)
		slot->found.marks = lt_narrowed_marks(t, &slot->packet);
	if (!slot->ret && slot->found.marks) {
		slot->skims = true;
		memset(slot->tally, 0, sizeof(slot->tally));
		slot->counted = lt_packet_find(&slot->packet, t->schema, slot->tally, &slot->found);
	}
	pthread_mutex_lock(&l->lock);
	job->state = READ;
	pthread_cond_signal(&l->read);
}

static void *read_ahead(void *arg)
{
	struct lt_loader *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->over) {
		struct job *job = next_job(l);

		if (job)
			read_packet(l, job, l->own ? l->own : l->t->file, &l->packed[0]);
		else if (l->next < l->n)
			pthread_cond_wait(&l->taken, &l->lock);
		else
			break;
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return (x->ref->offset > y->ref->offset) - (x->ref->offset < y->ref->offset);
}

static void add_jobs(struct lt_loader *l)
{
	const struct lt_trace *t = l->t;

	for (size_t i = 0; i < t->dir.n_streams; i++) {
		const struct lt_stream_dir *s = t->dir.streams[i];

		for (size_t k = 0; s && k < s->n; k++) {
			if (lt_trace_ns(t, s->refs[k].begin) >= t->narrowed->to)
				break;
			l->jobs = lt_grow(l->jobs, &l->cap, l->n, sizeof(*l->jobs));
			l->jobs[l->n++] = (struct job){ .s = s, .ref = &s->refs[k] };
		}
	}
	if (l->n)
		qsort(l->jobs, l->n, sizeof(*l->jobs), by_offset);
}

static bool may_read_ahead(const struct lt_loader *l)
{
	switch (lt_threads()) {
	case LT_THREADS_NEVER:
		return false;
	case LT_THREADS_IF_FASTER:
		return l->n >= FEW && lt_have_second_cpu() && lt_have_idle_cpu();
	case LT_THREADS_ALWAYS:
		break;
	}
	return l->n;
}

static bool start(struct lt_loader *l)
{
	l->own = l->t->file->parts ? lt_file_open(l->t->file->path) : NULL;
	if (l->t->file->parts && !l->own)
		return false;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->taken, NULL);
	pthread_cond_init(&l->read, NULL);
	if (lt_start_thread(&l->thread, read_ahead, l))
		return true;
	pthread_cond_destroy(&l->read);
	pthread_cond_destroy(&l->taken);
	pthread_mutex_destroy(&l->lock);
	return false;
}

/* There is no second thread. */
static void destroy(struct lt_loader *l)
{
	for (unsigned int i = 0; i < N_SLOTS; i++) {
		lt_buf_free(&l->slots[i].buf);
		free(l->slots[i].found.list);
	}
	lt_buf_free(&l->packed[0]);
	lt_buf_free(&l->packed[1]);
	lt_file_close(l->own);
	free(l->jobs);
	free(l);
}

struct lt_loader *lt_loader_new(const struct lt_trace *t)
{
	struct lt_loader *l;

	if (lt_threads() == LT_THREADS_NEVER)
		return NULL;
	l = lt_alloc(sizeof(*l));
	l->t = t;
	add_jobs(l);
	if (may_read_ahead(l) && start(l))
		return l;
	destroy(l);
	return NULL;
}

void lt_loader_free(struct lt_loader *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->over = true;
	pthread_cond_signal(&l->taken);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->read);
	pthread_cond_destroy(&l->taken);
	pthread_mutex_destroy(&l->lock);
	destroy(l);
}

/* Return: whether the packet was read ahead, and is with the first thread now. */
static bool take(struct lt_loader *l, struct job *job)
{
	bool read;

	pthread_mutex_lock(&l->lock);
	while (job->state == READING) {
		struct job *other = next_job(l);

		if (other)
			read_packet(l, other, l->t->file, &l->packed[1]);
		else
			pthread_cond_wait(&l->read, &l->lock);
	}
	read = job->state == READ;
	job->state = GONE;
	pthread_mutex_unlock(&l->lock);
	return read;
}

static void give_back(struct lt_loader *l, struct slot *slot)
{
	pthread_mutex_lock(&l->lock);
	slot->used = false;
	pthread_cond_signal(&l->taken);
	pthread_mutex_unlock(&l->lock);
}

/* What counted.c finds out of a packet otherwise. */
static void take_found(struct lt_stream *s, struct slot *slot)
{
	const struct lt_found own = s->found;

	s->found = slot->found;
	slot->found = own;
	memcpy(s->tally, slot->tally, sizeof(s->tally));
	s->next_found = 0;
	s->skimmed_from = s->n_records;
	s->skims = slot->counted;
	s->uncounted = !slot->counted;
	s->tallied = true;
}

bool lt_loader_take(struct lt_loader *l, struct lt_stream *s, const struct lt_packet_ref *ref, struct lt_why *why,
		    int *ret)
{
	size_t at = lt_first_not(l->n, i, l->jobs[i].ref->offset < ref->offset);
	struct lt_buf own = s->buf;
	struct slot *slot;

	s->tallied = false;
	if (at == l->n || l->jobs[at].ref != ref || !take(l, &l->jobs[at]))
		return false;
	slot = &l->slots[l->jobs[at].slot];
	s->buf = slot->buf;
	slot->buf = own;
	s->packet = slot->packet;
	*ret = slot->ret;
	if (slot->ret)
		*why = slot->why;
	if (slot->skims)
		take_found(s, slot);
	give_back(l, slot);
	return true;
}
