// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of io_uring: their submission, their way to a worker, their completion. A request that
 * is one record, at its completion, would need a place for its begin that is found by its
 * address, with a lock, and one for each request that programs have; so it is two records.
 */
#include <linux/io_uring.h>
#include <linux/tracepoint.h>
#include <uapi/linux/io_uring.h>
#include <trace/events/io_uring.h>

#include "syscall/compat.h"
#include "syscall/internal.h"

static __always_inline void *reserve(struct lt_channel_cpu *c, unsigned int id, size_t size)
{
	return lt_reserve(&lt_channel_syscall, c, LT_CLASS_URING, id, size);
}

static noinline void on_submit(const void *ring, const void *req, u8 opcode, u64 user_data)
{
	struct lt_rec_URING_SUBMIT *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_syscall, LT_CLASS_URING, &flags);
	if (!c)
		return;
	rec = reserve(c, LT_EV_URING_SUBMIT, sizeof(*rec));
	if (rec) {
		rec->ring = (unsigned long)ring;
		rec->request = (unsigned long)req;
		rec->user_data = user_data;
		rec->opcode = opcode;
	}
	lt_leave(c, LT_CLASS_URING, flags);
}

static noinline void on_queue(const void *req)
{
	struct lt_rec_URING_QUEUE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_syscall, LT_CLASS_URING, &flags);
	if (!c)
		return;
	rec = reserve(c, LT_EV_URING_QUEUE, sizeof(*rec));
	if (rec)
		rec->request = (unsigned long)req;
	lt_leave(c, LT_CLASS_URING, flags);
}

static noinline void on_complete(const void *ring, const void *req, u64 user_data, s32 result,
				 u32 completion)
{
	struct lt_rec_URING_COMPLETE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_syscall, LT_CLASS_URING, &flags);
	if (!c)
		return;
	rec = reserve(c, LT_EV_URING_COMPLETE, sizeof(*rec));
	if (rec) {
		rec->ring = (unsigned long)ring;
		rec->request = (unsigned long)req;
		rec->user_data = user_data;
		rec->result = result;
		rec->flags = completion;
	}
	lt_leave(c, LT_CLASS_URING, flags);
}

LT_PROBE_URING_SUBMIT(probe_submit, on_submit)

/* Not all kernels say what these are. */
struct io_kiocb;
struct io_ring_ctx;
struct io_uring_cqe;
struct io_wq_work;

/* The forms that kernels have had; the compiler chooses the one that fits. */
static void __maybe_unused probe_queue_int(void *data, struct io_kiocb *req, int rw)
{
	on_queue(req);
}

static void __maybe_unused probe_queue_bool(void *data, struct io_kiocb *req, bool hashed)
{
	on_queue(req);
}

static void __maybe_unused probe_queue_work(void *data, void *ring, int rw, void *req,
					    struct io_wq_work *work, unsigned int flags)
{
	on_queue(req);
}

static void __maybe_unused probe_complete_values(void *data, void *ring, void *req, u64 user_data,
						 int result, unsigned int flags, u64 extra1,
						 u64 extra2)
{
	on_complete(ring, req, user_data, result, flags);
}

static void __maybe_unused probe_complete_cqe(void *data, struct io_ring_ctx *ring, void *req,
					      struct io_uring_cqe *cqe)
{
	on_complete(ring, req, cqe->user_data, cqe->res, cqe->flags);
}

static void __maybe_unused probe_complete_ring(void *data, void *ring, u64 user_data, int result,
					       unsigned int flags)
{
	on_complete(ring, NULL, user_data, result, flags);
}

/* Has the tracepoint the probe's form? */
#define FITS_(tracepoint, probe)					\
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##tracepoint), \
				     void (typeof(probe) *))
#define FITS(tracepoint, probe)	FITS_(tracepoint, probe)

static void * const probe_fns[LT_N_URING_PROBES] = {
	[LT_URING_PROBE_SUBMIT] =
		FITS(LT_URING_SUBMIT, probe_submit) ? (void *)probe_submit : NULL,
	[LT_URING_PROBE_QUEUE] =
		FITS(io_uring_queue_async_work, probe_queue_int) ? (void *)probe_queue_int :
		FITS(io_uring_queue_async_work, probe_queue_bool) ? (void *)probe_queue_bool :
		FITS(io_uring_queue_async_work, probe_queue_work) ? (void *)probe_queue_work :
		NULL,
	[LT_URING_PROBE_COMPLETE] =
		FITS(io_uring_complete, probe_complete_values) ? (void *)probe_complete_values :
		FITS(io_uring_complete, probe_complete_cqe) ? (void *)probe_complete_cqe :
		FITS(io_uring_complete, probe_complete_ring) ? (void *)probe_complete_ring :
		NULL,
};

/**
 * lt_uring_prepare() - choose the functions of the probes
 * @probes: LT_N_URING_PROBES of them
 *
 * A tracepoint in a form that this version does not know is one that this kernel lacks.
 *
 * Context: after they were looked for, while none is attached.
 */
void lt_uring_prepare(struct lt_probe *probes)
{
	unsigned int i;

	for (i = 0; i < LT_N_URING_PROBES; i++) {
		probes[i].fn = probe_fns[i];
		if (!probe_fns[i])
			probes[i].tp = NULL;
	}
}
