// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets that a second thread reads ahead. It takes one after the other; the first thread, which
 * may want them in another order where there are several streams, reads itself what is not begun
 * when it wants it, and others where it would wait. Who reads a packet also counts its records, or
 * looks for those that are taken of it: it is in the cache of that thread's processor.
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

/*
 * @place: of jobs in the order in which they are done: where the packet is, or which stream it is
 * of
 */
struct job {
	const struct lt_stream_dir *s;
	const struct lt_packet_ref *ref;
	uint64_t place;
	enum state state;
	unsigned int slot;
};

/*
 * What lt_dir_load() gives of a packet, and lt_packet_tally() or, if some of its records are taken,
 * lt_packet_find().
 */
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
 * @own: the file as the second thread has it, if it is a set, of which files are opened as they are
 *	read
 * @jobs: the packets, by place; the second thread has come to @next
 * @own_memory: of the second thread, and of the first one
 * @lock: of the states of jobs and slots, and of @over; the rest of a slot is with the thread that
 *	reads its packet, and then with the first one
 */
struct lt_loader {
	const struct lt_trace *t;
	struct lt_file *own;
	struct job *jobs;
	size_t n;
	size_t cap;
	size_t next;
	struct slot slots[N_SLOTS];
	struct memory {
		struct lt_buf packed;
		struct lt_arena packets;
	} own_memory[2];
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

/*
 * With the lock held. Return: the next packet that nobody reads yet, with a slot; NULL: there is
 * none.
 */
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
static void read_packet(struct lt_loader *l, struct job *job, const struct lt_file *f,
			struct memory *own)
{
	const struct lt_trace *t = l->t;
	struct slot *slot = &l->slots[job->slot];

	pthread_mutex_unlock(&l->lock);
	slot->skims = false;
	slot->buf.arena = lt_trace_is_wide(t) ? &own->packets : NULL;
	slot->ret = lt_dir_load(&t->dir, f, job->s, job->ref, &slot->buf, &own->packed,
				&slot->packet, &slot->why);
	slot->buf.arena = NULL;
	if (!slot->ret) {
		slot->found.marks = t->narrowed ? lt_narrowed_marks(t, &slot->packet) : NULL;
		slot->skims = slot->found.marks;
		memset(slot->tally, 0, sizeof(slot->tally));
	}
	if (slot->skims)
		slot->counted = lt_packet_find(&slot->packet, t->schema, slot->tally, &slot->found);
	else if (!slot->ret)
		slot->counted = lt_packet_tally(&slot->packet, t->schema, slot->tally);
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
			read_packet(l, job, l->own ? l->own : l->t->file, &l->own_memory[0]);
		else if (l->next < l->n)
			pthread_cond_wait(&l->taken, &l->lock);
		else
			break;
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static uint64_t place_of(const struct lt_loader *l, const struct lt_stream_dir *s,
			 const struct lt_packet_ref *ref)
{
	return l->t->narrowed ? ref->offset : lt_stream_number(s->channel, s->cpu);
}

static int by_place(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static void add_job(struct lt_loader *l, const struct lt_stream_dir *s,
		    const struct lt_packet_ref *ref)
{
	l->jobs = lt_grow(l->jobs, &l->cap, l->n, sizeof(*l->jobs));
	l->jobs[l->n++] = (struct job){ .s = s, .ref = ref, .place = place_of(l, s, ref) };
}

static void add_jobs(struct lt_loader *l)
{
	const struct lt_trace *t = l->t;

	for (size_t i = 0; i < t->dir.n_streams; i++) {
		const struct lt_stream_dir *s = t->dir.streams[i];

		if (!t->narrowed && s && s->n)
			add_job(l, s, &s->refs[0]);
		for (size_t k = 0; t->narrowed && s && k < s->n; k++) {
			if (lt_trace_ns(t, s->refs[k].begin) >= t->narrowed->to)
				break;
			add_job(l, s, &s->refs[k]);
		}
	}
	if (l->n)
		qsort(l->jobs, l->n, sizeof(*l->jobs), by_place);
}

static bool may_pay(size_t n_packets)
{
	return n_packets >= (lt_threads() == LT_THREADS_ALWAYS ? 1 : FEW);
}

static bool may_read_ahead(size_t n_packets)
{
	switch (lt_threads()) {
	case LT_THREADS_NEVER:
		return false;
	case LT_THREADS_IF_FASTER:
		return may_pay(n_packets) && lt_have_second_cpu() && lt_have_idle_cpu();
	case LT_THREADS_ALWAYS:
		break;
	}
	return may_pay(n_packets);
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
	for (unsigned int i = 0; i < 2; i++) {
		lt_buf_free(&l->own_memory[i].packed);
		lt_arena_free(&l->own_memory[i].packets);
	}
	lt_file_close(l->own);
	free(l->jobs);
	free(l);
}

struct lt_loader *lt_loader_new(const struct lt_trace *t)
{
	struct lt_loader *l;

	if (!may_read_ahead(t->narrowed ? t->dir.packets : t->n_opened))
		return NULL;
	l = lt_alloc(sizeof(*l));
	l->t = t;
	add_jobs(l);
	/* There are fewer packets in a window. */
	if (may_pay(l->n) && start(l))
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
			read_packet(l, other, l->t->file, &l->own_memory[1]);
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

static void take_found(struct lt_stream *s, struct slot *slot)
{
	const struct lt_found own = s->found;

	s->found = slot->found;
	slot->found = own;
	s->next_found = 0;
	s->skimmed_from = s->n_records;
}

/* What counted.c finds out of a packet otherwise. */
static void take_tally(struct lt_stream *s, struct slot *slot)
{
	if (slot->skims)
		take_found(s, slot);
	memcpy(s->tally, slot->tally, sizeof(s->tally));
	s->skims = slot->skims && slot->counted;
	s->uncounted = !slot->counted;
	s->tallied = true;
}

bool lt_loader_take(struct lt_loader *l, struct lt_stream *s, const struct lt_packet_ref *ref,
		    struct lt_why *why, int *ret)
{
	const uint64_t place = place_of(l, s->dir, ref);
	size_t at = lt_first_not(l->n, i, l->jobs[i].place < place);
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
	else
		take_tally(s, slot);
	give_back(l, slot);
	return true;
}
