// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which task a number means to a caller in an inner pid namespace.
 *
 * Only tasks of inner namespaces are kept. A task that was released is kept until its number has
 * another holder, since wait4() returns the number of a child that it has released.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "format/picks.h"
#include "syscalls/numbers.h"
#include "syscalls/types.h"
#include "trace/namespaces.h"

enum { F_TID, F_START, F_OLD_TID, F_NS, F_NR, F_LEVEL, F_INUM, F_NS_ID, N_F };

static const char *const names[N_F] = {
	"tid", "start", "old_tid", "ns", "nr", "level", "inum", "ns_id",
};

/**
 * struct member - the latest task of an inner namespace that had a tid
 * @ns: id of its own namespace
 * @born: 0: in a snapshot
 * @gone: when it was released; UINT64_MAX: it was not
 */
struct member {
	uint32_t tid;
	uint16_t ns;
	uint64_t start;
	uint64_t born;
	uint64_t gone;
};

/* The latest task that had a number of an inner namespace, of which @ns is the id. */
struct holder {
	uint32_t nr;
	uint16_t ns;
	uint32_t tid;
	uint64_t start;
};

struct lt_syscall_numbers {
	const struct lt_trace *t;
	struct lt_picks picks;
	struct lt_ns_numbers spaces;
	struct lt_pool members;
	struct lt_map tids;
	struct lt_pool holders;
	struct lt_map numbers;
	uint64_t seed;
};

struct lt_syscall_numbers *lt_syscall_numbers_new(const struct lt_trace *t)
{
	struct lt_syscall_numbers *n = lt_alloc(sizeof(*n));

	n->t = t;
	n->seed = lt_hash_seed();
	lt_picks_init(&n->picks, names, N_F, 0);
	lt_map_init(&n->tids);
	lt_map_init(&n->numbers);
	lt_pool_init(&n->members, sizeof(struct member));
	lt_pool_init(&n->holders, sizeof(struct holder));
	return n;
}

void lt_syscall_numbers_free(struct lt_syscall_numbers *n)
{
	if (!n)
		return;
	lt_map_destroy(&n->tids);
	lt_map_destroy(&n->numbers);
	lt_pool_destroy(&n->members);
	lt_pool_destroy(&n->holders);
	lt_ns_numbers_destroy(&n->spaces);
	lt_picks_destroy(&n->picks);
	free(n);
}

/* ------------------------------------------------------------------------
 * Events of tasks
 */

static uint32_t hash_of(const struct lt_syscall_numbers *n, uint16_t ns, uint32_t nr)
{
	return (uint32_t)lt_hash64((uint64_t)ns << 32 | nr, n->seed);
}

static struct member *member_of(const struct lt_syscall_numbers *n, uint32_t tid)
{
	uint32_t number;

	lt_map_for_each(number, at, &n->tids, hash_of(n, 0, tid)) {
		struct member *m = lt_pool_at(&n->members, number);

		if (m->tid == tid)
			return m;
	}
	return NULL;
}

static struct holder *holder_of(const struct lt_syscall_numbers *n, uint16_t ns, uint32_t nr)
{
	uint32_t number;

	lt_map_for_each(number, at, &n->numbers, hash_of(n, ns, nr)) {
		struct holder *h = lt_pool_at(&n->holders, number);

		if (h->ns == ns && h->nr == nr)
			return h;
	}
	return NULL;
}

static void hold(struct lt_syscall_numbers *n, uint16_t ns, uint32_t nr, uint32_t tid,
		 uint64_t start)
{
	struct holder *h = holder_of(n, ns, nr);

	if (!h) {
		uint32_t number = lt_pool_get(&n->holders);

		h = lt_pool_at(&n->holders, number);
		lt_map_add(&n->numbers, hash_of(n, ns, nr), number);
	}
	*h = (struct holder){ .nr = nr, .ns = ns, .tid = tid, .start = start };
}

static void join(struct lt_syscall_numbers *n, uint32_t tid, uint64_t start, uint16_t ns,
		 uint64_t born)
{
	struct member *m = member_of(n, tid);

	if (m && m->start == start)
		return;
	if (!m) {
		uint32_t number = lt_pool_get(&n->members);

		m = lt_pool_at(&n->members, number);
		lt_map_add(&n->tids, hash_of(n, 0, tid), number);
	}
	*m = (struct member){ .tid = tid, .ns = ns, .start = start, .born = born,
			      .gone = UINT64_MAX };
}

static bool is_initial(const struct lt_syscall_numbers *n, uint16_t ns)
{
	const struct lt_ns_identity *is = lt_ns_identity_now(&n->spaces, ns);

	return !ns || (is && !is->level);
}

static void leave(struct lt_syscall_numbers *n, uint32_t tid, uint64_t start, uint64_t time)
{
	struct member *m = member_of(n, tid);

	if (m && (!start || m->start == start) && m->gone == UINT64_MAX)
		m->gone = time;
}

void lt_syscall_numbers_event(struct lt_syscall_numbers *n, const struct lt_event *ev)
{
	const struct lt_picked *at;
	uint64_t v[N_F];
	uint16_t ns;

	if (ev->id != LT_EV_TASK_NEW && ev->id != LT_EV_TASK_NUMBER &&
	    ev->class != LT_CLASS_STATE && ev->class != LT_CLASS_EXEC &&
	    ev->class != LT_CLASS_RELEASE && ev->id != LT_EV_PID_NS && ev->id != LT_EV_PID_NS_GONE)
		return;
	at = lt_picks_of(&n->picks, lt_trace_desc(n->t));
	for (size_t i = 0; i < N_F; i++)
		v[i] = lt_picked_value(lt_trace_packet(n->t), at, i, ev->raw);
	ns = (uint16_t)v[F_NS];
	if (ev->id == LT_EV_PID_NS) {
		lt_ns_number_announce(&n->spaces, ns,
				      &(struct lt_ns_identity){ .ns_id = v[F_NS_ID],
								.inum = (uint32_t)v[F_INUM],
								.level = (uint8_t)v[F_LEVEL] });
	} else if (ev->id == LT_EV_PID_NS_GONE) {
		lt_ns_number_gone(&n->spaces, ns);
	} else if (ev->class == LT_CLASS_EXEC) {
		/* The thread has the leader's number now. */
		if (v[F_OLD_TID] != v[F_TID])
			leave(n, (uint32_t)v[F_OLD_TID], 0, ev->time);
	} else if (ev->class == LT_CLASS_RELEASE) {
		leave(n, (uint32_t)v[F_TID], v[F_START], ev->time);
	} else if (!is_initial(n, ns)) {
		hold(n, ns, (uint32_t)v[F_NR], (uint32_t)v[F_TID], v[F_START]);
		if (ev->id != LT_EV_TASK_NUMBER)
			join(n, (uint32_t)v[F_TID], v[F_START], ns,
			     ev->id == LT_EV_TASK_NEW ? ev->time : 0);
	}
}

/* ------------------------------------------------------------------------
 * Calls
 */

static bool is(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; name && i < n; i++) {
		if (!strcmp(name, list[i]))
			return true;
	}
	return false;
}

/* Whether the first argument of a call says that another one is a number of a task or a group. */
static bool says_number(const struct lt_syscall *call, const char *name)
{
	uint32_t which = (uint32_t)call->args[0];

	if (!strcmp(name, "waitid"))			/* P_PID, P_PGID */
		return which == 1 || which == 2;
	if (!strcmp(name, "getpriority") || !strcmp(name, "setpriority"))
		return which <= 1;			/* PRIO_PROCESS, PRIO_PGRP */
	if (!strcmp(name, "ioprio_get") || !strcmp(name, "ioprio_set"))
		return which == 1 || which == 2;	/* IOPRIO_WHO_PROCESS, _PGRP */
	return true;
}

/* A signed one, of 32 bits; negative ones are groups, but for -1. */
static uint32_t number_of(int32_t v)
{
	return v == -1 || v == INT32_MIN ? 0 : v < 0 ? (uint32_t)-v : (uint32_t)v;
}

uint32_t lt_syscall_number(const struct lt_syscall *call, unsigned int arg)
{
	const char *letters = lt_syscall_letters(call->abi, call->nr);
	const char *name = lt_syscall_name(call->abi, call->nr);
	const int32_t F_SETOWN_ = 8;

	if (!name || arg >= call->n_args)
		return 0;
	if (arg == 2 && call->args[1] == (uint64_t)F_SETOWN_ &&
	    (!strcmp(name, "fcntl") || !strcmp(name, "fcntl64")))
		return number_of((int32_t)call->args[arg]);
	if (arg >= strlen(letters) || letters[arg] != 'q' || !says_number(call, name))
		return 0;
	return number_of((int32_t)call->args[arg]);
}

/* fork() and its kin. */
static bool makes_task(const char *name)
{
	static const char *const makers[] = { "fork", "vfork", "clone", "clone3" };

	return is(name, makers, sizeof(makers) / sizeof(makers[0]));
}

uint32_t lt_syscall_made_number(const struct lt_syscall *call)
{
	static const char *const others[] = {
		"getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "setsid",
		"set_tid_address", "wait4", "waitpid",
	};
	const char *name = lt_syscall_name(call->abi, call->nr);
	const uint64_t F_GETOWN_ = 9;

	if (!name || call->how != LT_SYSCALL_RETURNED || lt_syscall_error(call))
		return 0;
	if (makes_task(name) || is(name, others, sizeof(others) / sizeof(others[0])) ||
	    (call->n_args >= 2 && call->args[1] == F_GETOWN_ &&
	     (!strcmp(name, "fcntl") || !strcmp(name, "fcntl64"))))
		return number_of((int32_t)call->result);
	return 0;
}

/*
 * The tid of the task that a number means during a call; @made: of one that the call has made.
 * 0: not known, as where the number may have had two holders meanwhile.
 */
static uint32_t outside(const struct lt_syscall_numbers *n, const struct lt_syscall *call,
			uint16_t ns, uint32_t nr, bool made)
{
	const struct holder *h = nr ? holder_of(n, ns, nr) : NULL;
	const struct member *m = h ? member_of(n, h->tid) : NULL;

	if (!m || m->start != h->start || !call->has_begin || lt_trace_n_gaps(n->t))
		return 0;
	if (made)
		return m->born >= call->begin && m->born <= call->end ? m->tid : 0;
	return m->born <= call->begin && m->gone >= call->begin ? m->tid : 0;
}

void lt_syscall_numbers_show(const struct lt_syscall_numbers *n, struct lt_syscall *call)
{
	const struct member *m = call->start ? member_of(n, call->tid) : NULL;
	const struct lt_ns_identity *is = m ? lt_ns_identity_now(&n->spaces, m->ns) : NULL;

	if (!is || m->start != call->start || !is->level)
		return;
	call->ns = lt_ns_number_now(&n->spaces, m->ns);
	for (unsigned int i = 0; i < call->n_args; i++)
		call->outside[i] = outside(n, call, m->ns, lt_syscall_number(call, i), false);
	call->made_outside = outside(n, call, m->ns, lt_syscall_made_number(call),
				     makes_task(lt_syscall_name(call->abi, call->nr)));
}

size_t lt_syscall_put_number(const struct lt_syscall *call, uint32_t outside, char *to, size_t size)
{
	char text[64];
	size_t n;

	if (outside)
		snprintf(text, sizeof(text), " [pid namespace %" PRIu32 ": %" PRIu32 "]", call->ns,
			 outside);
	else
		snprintf(text, sizeof(text), " [pid namespace %" PRIu32 "]", call->ns);
	n = strlen(text);
	if (n >= size)
		n = size - 1;
	memcpy(to, text, n);
	to[n] = 0;
	return n;
}
