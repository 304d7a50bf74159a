// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The parts of a call that signals have interrupted, as one call. A part is kept until a later
 * call of its thread, or the end of the thread, shows whether it is the last one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "syscalls/join.h"

/* Results that the kernel keeps to itself: the call begins again, or fails with EINTR. */
enum { ERESTARTSYS_ = 512, ERESTARTNOINTR_, ERESTARTNOHAND_, ERESTART_RESTARTBLOCK_ = 516 };

/**
 * struct lt_syscall_thread - a thread that called
 * @waits: @call was interrupted, and may be restarted
 * @returned: since then the handler of a signal has returned
 */
struct lt_syscall_thread {
	uint32_t tid;
	uint64_t start;
	const struct lt_task *task;
	bool waits;
	bool returned;
	struct lt_syscall call;
};

void lt_syscall_drop_texts(struct lt_syscall *call)
{
	free(call->texts);
	call->texts = NULL;
	call->n_texts = 0;
}

void lt_syscall_join_init(struct lt_syscall_join *c, bool parts, lt_syscalls_fn *fn, void *arg)
{
	*c = (struct lt_syscall_join){
		.parts = parts, .fn = fn, .arg = arg, .seed = lt_hash_seed(),
	};
	lt_map_init(&c->map);
}

void lt_syscall_join_destroy(struct lt_syscall_join *c)
{
	for (size_t i = 0; i < c->n_threads; i++) {
		lt_syscall_drop_texts(&c->threads[i]->call);
		free(c->threads[i]);
	}
	free(c->threads);
	lt_map_destroy(&c->map);
}

/* Return: NULL: it has not called. */
static struct lt_syscall_thread *find(const struct lt_syscall_join *c, uint32_t tid, uint64_t start)
{
	uint32_t hash = (uint32_t)lt_hash64(tid ^ start << 22, c->seed), number;

	lt_map_for_each(number, at, &c->map, hash) {
		struct lt_syscall_thread *th = c->threads[number - 1];

		if (th->tid == tid && th->start == start)
			return th;
	}
	return NULL;
}

static struct lt_syscall_thread *thread_of(struct lt_syscall_join *c, uint32_t tid, uint64_t start)
{
	struct lt_syscall_thread *th = find(c, tid, start);

	if (th)
		return th;
	c->threads = lt_grow(c->threads, &c->cap_threads, c->n_threads, sizeof(*c->threads));
	th = c->threads[c->n_threads++] = lt_alloc(sizeof(*th));
	th->tid = tid;
	th->start = start;
	lt_map_add(&c->map, (uint32_t)lt_hash64(tid ^ start << 22, c->seed),
		   (uint32_t)c->n_threads);
	return th;
}

static bool is_restart_result(int64_t result)
{
	return result == -ERESTARTSYS_ || result == -ERESTARTNOINTR_ ||
	       result == -ERESTARTNOHAND_ || result == -ERESTART_RESTARTBLOCK_;
}

static bool is_called(const struct lt_syscall *call, const char *name)
{
	const char *is = lt_syscall_name(call->abi, call->nr);

	return is && !strcmp(is, name);
}

static bool is_sigreturn(const struct lt_syscall *call)
{
	return is_called(call, "rt_sigreturn") || is_called(call, "sigreturn");
}

static void hand_out(struct lt_syscall_join *c, struct lt_syscall *call)
{
	c->fn(c->arg, call);
	lt_syscall_drop_texts(call);
}

/* The call that waits is not restarted. */
static void give_up(struct lt_syscall_join *c, struct lt_syscall_thread *th)
{
	th->waits = false;
	c->n_waits--;
	th->call.how = LT_SYSCALL_INTERRUPTED;
	hand_out(c, &th->call);
}

static bool is_same(const struct lt_syscall *a, const struct lt_syscall *b)
{
	return a->nr == b->nr && a->compat == b->compat && a->n_args == b->n_args &&
	       !memcmp(a->args, b->args, a->n_args * sizeof(a->args[0]));
}

/*
 * Whether the call goes on with the one that waits. The handler of a signal may call anything
 * before it returns, so other calls say nothing until then; after it the next call is either
 * the restart, or proves that there is none.
 */
static bool goes_on(struct lt_syscall_join *c, struct lt_syscall_thread *th,
		    const struct lt_syscall *call)
{
	/* With these results, a handler that has run means EINTR. */
	bool ended = th->returned && (th->call.result == -ERESTARTNOHAND_ ||
				      th->call.result == -ERESTART_RESTARTBLOCK_);

	if (!ended && (is_called(call, "restart_syscall") || is_same(&th->call, call)))
		return true;
	if (is_sigreturn(call))
		th->returned = true;
	else if (th->returned)
		give_up(c, th);
	return false;
}

/* Joins a call with the part of it that waits. */
static void join(struct lt_syscall_join *c, struct lt_syscall_thread *th, struct lt_syscall *call)
{
	struct lt_syscall last = *call;

	*call = th->call;
	th->waits = false;
	c->n_waits--;
	th->call.texts = NULL;
	th->call.n_texts = 0;
	/* Only the last part has what the call has written. */
	if (last.n_texts) {
		lt_syscall_drop_texts(call);
		call->texts = last.texts;
		call->n_texts = last.n_texts;
	}
	call->no_texts |= last.no_texts;
	call->end = last.end;
	call->cpu = last.cpu;
	call->how = last.how;
	call->result = last.result;
	call->parts++;
}

void lt_syscall_join(struct lt_syscall_join *c, struct lt_syscall *call)
{
	struct lt_syscall_thread *th = thread_of(c, call->tid, call->start);

	if (call->task)
		th->task = call->task;
	call->task = th->task;
	if (c->parts) {
		hand_out(c, call);
		return;
	}
	if (th->waits && goes_on(c, th, call))
		join(c, th, call);
	if (call->how != LT_SYSCALL_RETURNED || !is_restart_result(call->result)) {
		/* A thread that has ended restarts nothing. */
		if (th->waits && call->how == LT_SYSCALL_DIED)
			give_up(c, th);
		hand_out(c, call);
		return;
	}
	if (th->waits)		/* in a handler, a call is interrupted in turn */
		give_up(c, th);
	th->call = *call;
	th->waits = true;
	th->returned = false;
	c->n_waits++;
}

bool lt_syscall_join_waits(const struct lt_syscall_join *c)
{
	return c->n_waits;
}

void lt_syscall_join_ended(struct lt_syscall_join *c, uint32_t tid, uint64_t start)
{
	struct lt_syscall_thread *th = find(c, tid, start);

	if (th && th->waits)
		give_up(c, th);
}

static int by_end(const void *a, const void *b)
{
	const struct lt_syscall_thread *x = *(struct lt_syscall_thread *const *)a;
	const struct lt_syscall_thread *y = *(struct lt_syscall_thread *const *)b;

	if (x->call.end != y->call.end)
		return x->call.end < y->call.end ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

void lt_syscall_join_finish(struct lt_syscall_join *c)
{
	/* The numbers of threads are not used any more. */
	if (c->n_waits)
		qsort(c->threads, c->n_threads, sizeof(*c->threads), by_end);
	for (size_t i = 0; i < c->n_threads; i++) {
		if (c->threads[i]->waits)
			give_up(c, c->threads[i]);
	}
}
