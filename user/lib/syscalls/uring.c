// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From submissions and completions to requests of io_uring.
 *
 * The kernel names a request by its address, which is another one's after its completion; where it
 * does not, there is what the program calls it, which need not be unique.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "format/picks.h"
#include "syscalls/uring.h"

enum { F_RING, F_REQUEST, F_USER_DATA, F_OPCODE, F_RESULT, F_FLAGS, N_F };

static const char *const names[N_F] = {
	"ring", "request", "user_data", "opcode", "result", "flags",
};

/* A request that has not completed, if @used; else a free place. */
struct request {
	bool used;
	uint64_t ring;
	uint64_t address;
	struct lt_syscall call;
};

struct lt_requests {
	const struct lt_trace *t;
	lt_syscalls_fn *fn;
	void *arg;
	struct lt_picks picks;
	struct request *all;		/* number N is at N - 1 */
	size_t n;
	size_t cap;
	uint32_t *unused;
	size_t n_unused;
	size_t cap_unused;
	struct lt_map by_address;
	struct lt_map by_name;		/* ring and user_data */
	uint64_t seed;
	uint64_t last;			/* time of the latest event */
};

struct lt_requests *lt_requests_new(const struct lt_trace *t, lt_syscalls_fn *fn, void *arg)
{
	struct lt_requests *r = lt_alloc(sizeof(*r));

	r->t = t;
	r->fn = fn;
	r->arg = arg;
	r->seed = lt_hash_seed();
	lt_picks_init(&r->picks, names, N_F, 0);
	lt_map_init(&r->by_address);
	lt_map_init(&r->by_name);
	return r;
}

void lt_requests_free(struct lt_requests *r)
{
	if (!r)
		return;
	lt_map_destroy(&r->by_address);
	lt_map_destroy(&r->by_name);
	free(r->all);
	free(r->unused);
	lt_picks_destroy(&r->picks);
	free(r);
}

static uint32_t hash_of_address(const struct lt_requests *r, uint64_t address)
{
	return (uint32_t)lt_hash64(address, r->seed);
}

static uint32_t hash_of_name(const struct lt_requests *r, uint64_t ring, uint64_t user_data)
{
	return (uint32_t)lt_hash64(user_data ^ lt_hash64(ring, r->seed), r->seed);
}

/* Return: the number of the open request at an address; 0: there is none. */
static uint32_t at_address(const struct lt_requests *r, uint64_t address)
{
	uint32_t number;

	lt_map_for_each(number, at, &r->by_address, hash_of_address(r, address)) {
		if (r->all[number - 1].address == address)
			return number;
	}
	return 0;
}

/* The oldest one of those with a name. @several: there is more than one. */
static uint32_t of_name(const struct lt_requests *r, uint64_t ring, uint64_t user_data,
			bool *several)
{
	uint32_t number, oldest = 0;

	*several = false;
	lt_map_for_each(number, at, &r->by_name, hash_of_name(r, ring, user_data)) {
		const struct request *q = &r->all[number - 1];

		if (q->ring != ring || q->call.args[0] != user_data)
			continue;
		*several |= oldest;
		if (!oldest || q->call.begin < r->all[oldest - 1].call.begin)
			oldest = number;
	}
	return oldest;
}

static void forget(struct lt_requests *r, uint32_t number)
{
	struct request *q = &r->all[number - 1];

	lt_map_remove(&r->by_address, hash_of_address(r, q->address), number);
	lt_map_remove(&r->by_name, hash_of_name(r, q->ring, q->call.args[0]), number);
	q->used = false;
	r->unused = lt_grow(r->unused, &r->cap_unused, r->n_unused, sizeof(*r->unused));
	r->unused[r->n_unused++] = number;
}

/* Its completion was not seen. */
static void give_up(struct lt_requests *r, uint32_t number, enum lt_syscall_end how)
{
	struct lt_syscall *call = &r->all[number - 1].call;

	call->how = how;
	call->end = r->last;
	r->fn(r->arg, call);
	forget(r, number);
}

static void of_task(const struct lt_event *ev, struct lt_syscall *call)
{
	call->cpu = ev->cpu;
	call->task = ev->task;
	if (!ev->task)
		return;
	call->tid = ev->task->tid;
	call->tgid = ev->task->tgid;
	call->start = ev->task->start;
}

static void on_submit(struct lt_requests *r, const struct lt_event *ev, const uint64_t v[N_F])
{
	uint32_t number = at_address(r, v[F_REQUEST]);
	struct request *q;

	if (number)
		give_up(r, number, LT_SYSCALL_OVERTAKEN);
	if (r->n_unused) {
		number = r->unused[--r->n_unused];
	} else {
		r->all = lt_grow(r->all, &r->cap, r->n, sizeof(*r->all));
		number = (uint32_t)(r->n += 1);
	}
	q = &r->all[number - 1];
	*q = (struct request){
		.used = true, .ring = v[F_RING], .address = v[F_REQUEST],
		.call = {
			.begin = ev->time, .has_begin = true, .nr = (int32_t)v[F_OPCODE],
			.n_args = 1, .abi = lt_abi_of_requests(), .args = { v[F_USER_DATA] },
			.parts = 1,
		},
	};
	of_task(ev, &q->call);
	lt_map_add(&r->by_address, hash_of_address(r, q->address), number);
	lt_map_add(&r->by_name, hash_of_name(r, q->ring, v[F_USER_DATA]), number);
}

/* Which request completes. Return: its number; 0: its submission was not seen. */
static uint32_t find(const struct lt_requests *r, const uint64_t v[N_F], bool *uncertain)
{
	uint32_t number;

	*uncertain = false;
	if (!v[F_REQUEST])
		return of_name(r, v[F_RING], v[F_USER_DATA], uncertain);
	number = at_address(r, v[F_REQUEST]);
	if (number && r->all[number - 1].ring == v[F_RING] &&
	    r->all[number - 1].call.args[0] == v[F_USER_DATA])
		return number;
	return 0;
}

static void on_complete(struct lt_requests *r, const struct lt_event *ev, const uint64_t v[N_F])
{
	bool uncertain;
	uint32_t number = find(r, v, &uncertain);
	struct lt_syscall call = {
		.nr = -1, .abi = lt_abi_of_requests(), .n_args = 1, .args = { v[F_USER_DATA] },
		.parts = 1, .flags = LT_SYS_BEFORE,
	};

	if (number)
		call = r->all[number - 1].call;
	else
		of_task(ev, &call);
	call.how = LT_SYSCALL_RETURNED;
	call.end = ev->time;
	call.cpu = ev->cpu;
	call.result = (int64_t)v[F_RESULT];
	call.uncertain = uncertain;
	call.goes_on = v[F_FLAGS] & LT_URING_MORE;
	r->fn(r->arg, &call);
	if (number && !call.goes_on)
		forget(r, number);
}

void lt_requests_event(struct lt_requests *r, const struct lt_event *ev)
{
	const struct lt_picked *at;
	uint64_t v[N_F];
	uint32_t number;

	r->last = ev->time;
	if (ev->class != LT_CLASS_URING)
		return;
	at = lt_picks_of(&r->picks, lt_trace_desc(r->t));
	for (size_t i = 0; i < N_F; i++)
		v[i] = lt_picked_value(lt_trace_packet(r->t), at, i, ev->raw);
	switch (ev->id) {
	case LT_EV_URING_SUBMIT:
		on_submit(r, ev, v);
		break;
	case LT_EV_URING_QUEUE:
		number = at_address(r, v[F_REQUEST]);
		if (number)
			r->all[number - 1].call.queued = true;
		break;
	case LT_EV_URING_COMPLETE:
		on_complete(r, ev, v);
		break;
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	if (x->call.begin != y->call.begin)
		return x->call.begin < y->call.begin ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

void lt_requests_finish(struct lt_requests *r)
{
	/* No number is used any more. */
	if (r->n)
		qsort(r->all, r->n, sizeof(*r->all), by_begin);
	for (size_t i = 0; i < r->n; i++) {
		if (!r->all[i].used)
			continue;
		r->all[i].call.how = LT_SYSCALL_AT_END;
		r->all[i].call.end = r->last;
		r->fn(r->arg, &r->all[i].call);
	}
	r->n = 0;
}
