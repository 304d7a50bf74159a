// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a trace, for the encoder.
 */
#include <string.h>

#include "base/log.h"
#include "format/schema.h"
#include "state/encode.h"
#include "trace/part.h"

/* Larger packets repeat less; LT_BLOCK_MAX is far. */
#define PACKET_SIZE	(1U << 20)

static int take(void *arg, const struct lt_encode_packet *packet)
{
	struct lt_state_encoder *e = arg;

	return e->ret ? e->ret : e->emit(e->arg, packet->data, packet->size);
}

void lt_state_encoder_init(struct lt_state_encoder *e, const struct lt_trace *t, uint64_t end)
{
	const struct lt_packet *m = lt_trace_machine(t);
	const struct lt_encode_machine machine = {
		.big = m->big, .version_minor = m->version_minor, .size_long = m->size_long,
		.size_ptr = m->size_ptr, .size_pid = m->size_pid, .size_gfp = m->size_gfp,
		.page_shift = m->page_shift, .text_base = m->text_base, .ptr_base = m->ptr_base,
		.session = m->session, .header_size = m->header_size, .n_classes = m->n_counts,
		.schema = lt_trace_schema(t),
	};

	memset(e, 0, sizeof(*e));
	e->t = t;
	lt_encoder_init(&e->out, &machine, 0, 0, PACKET_SIZE, take, e);
	e->out.cut = end;
}

/* The result of what was written; an event that could not be is an error. */
static void check(struct lt_state_encoder *e)
{
	if (e->ret)
		return;
	e->ret = e->out.ret;
	if (!e->out.refused)
		return;
	lt_error("%s: schema: the event %s has a layout that this version cannot write: what is alive "
		 "cannot be written down", lt_trace_path(e->t),
		 lt_encode_event_name(e->out.refused));
	e->ret = -1;
}

void lt_state_stream(struct lt_state_encoder *e, unsigned int channel, uint32_t cpu,
		     unsigned int flags)
{
	struct lt_encoder *out = &e->out;

	if (out->channel == channel && out->cpu == cpu && out->packet_flags == flags)
		return;
	lt_encode_end(out, out->last);
	check(e);
	lt_encoder_restart(out, channel, cpu);
	out->packet_flags = (uint16_t)flags;
	e->task = NULL;
	e->comm = NULL;
}

void lt_state_encoder_destroy(struct lt_state_encoder *e)
{
	lt_encode_end(&e->out, e->out.last);
	check(e);
	lt_encoder_destroy(&e->out);
}

/* The task that runs: its name is that of the time. */
static void run(struct lt_state_encoder *e, const struct lt_task *task, uint64_t time)
{
	const char *comm = task ? lt_task_comm_at(task, time) : NULL;
	struct lt_encode_task running;

	/* Another place of the name: the task had another one meanwhile, perhaps on another CPU. */
	if (task == e->task && comm == e->comm)
		return;
	e->task = task;
	e->comm = comm;
	if (!task) {
		lt_encode_run(&e->out, NULL);
		return;
	}
	running = (struct lt_encode_task){
		.tid = task->tid, .tgid = task->tgid, .start = task->start,
		.flags = (uint8_t)task->flags,
	};
	memcpy(running.comm, comm, strnlen(comm, sizeof(running.comm)));
	lt_encode_run(&e->out, &running);
	lt_encode_run_again(&e->out);
}

/* An event of an object or of pages, with the addresses of the frames of its stack. */
static void encode_object(struct lt_state_encoder *e, const struct lt_event *ev, uint64_t units,
			  uint64_t call_site)
{
	struct lt_stack stack = lt_trace_whole_stack(e->t, ev->stack);
	uint64_t frames[LT_STACK_FRAMES];
	const struct lt_encode_stack encoded = {
		.n = stack.n < LT_STACK_FRAMES ? stack.n : LT_STACK_FRAMES,
		.flags = stack.flags, .frames = frames,
	};
	const struct lt_encode_object o = {
		.class = ev->class, .ptr = ev->ptr, .call_site = call_site,
		.bytes_req = ev->bytes_req, .bytes_alloc = ev->bytes_alloc, .gfp = ev->gfp,
		.node = ev->node, .cache = (uint16_t)lt_trace_cache_id(e->t, ev->cache),
		.order = ev->order,
		.last = ev->class == LT_CLASS_PAGE_BULK ? ev->single : ev->migratetype,
		.stack = stack.n ? &encoded : NULL,
	};

	for (unsigned int i = 0; i < encoded.n; i++)
		frames[i] = lt_trace_code_address(e->t, stack.frames[i]);
	lt_encode_object(&e->out, units, ev->context, &o);
}

static void encode_dma(struct lt_state_encoder *e, const struct lt_event *ev, uint64_t units,
		       uint64_t call_site)
{
	const struct lt_cache *device = lt_trace_cache(e->t, ev->cache);
	struct lt_rec_DMA_ALLOC rec = {
		.ptr = ev->ptr, .call_site = call_site, .gfp_flags = ev->gfp,
		.bytes_req = ev->bytes_req, .bytes_alloc = ev->bytes_alloc,
	};

	if (device)
		memcpy(rec.device, device->name, strnlen(device->name, sizeof(rec.device)));
	lt_encode_record(&e->out, units, ev->context, LT_EV_DMA_ALLOC, &rec);
}

static void encode_event(struct lt_state_encoder *e, const struct lt_event *ev, uint64_t units)
{
	uint64_t call_site = lt_trace_code_address(e->t, ev->call_site);

#define PUT(NAME, ...)	LT_ENCODE(&e->out, units, ev->context, NAME, .ptr = ev->ptr, __VA_ARGS__)
	switch (ev->class) {
	case LT_CLASS_VMALLOC:
		PUT(VMALLOC, .call_site = call_site, .gfp_flags = ev->gfp,
		    .bytes_req = ev->bytes_req, .bytes_alloc = ev->bytes_alloc, .node = ev->node);
		break;
	case LT_CLASS_PERCPU_ALLOC:
		PUT(PERCPU_ALLOC, .call_site = call_site, .gfp_flags = ev->gfp,
		    .bytes_req = ev->bytes_req, .bytes_alloc = ev->bytes_alloc);
		break;
	case LT_CLASS_DMA_ALLOC:
		encode_dma(e, ev, units, call_site);
		break;
	case LT_CLASS_VFREE:
		PUT(VFREE);
		break;
	case LT_CLASS_PERCPU_FREE:
		PUT(PERCPU_FREE);
		break;
	case LT_CLASS_DMA_FREE:
		PUT(DMA_FREE, .call_site = call_site);
		break;
	default:
		encode_object(e, ev, units, call_site);
		break;
	}
#undef PUT
}

void lt_state_carried(struct lt_state_encoder *e, const struct lt_carried *carried, uint64_t units)
{
	const struct lt_event *ev = &carried->ev;
	uint64_t call_site = lt_trace_code_address(e->t, ev->call_site);

	run(e, ev->task, ev->time);
	encode_event(e, ev, units);
	if (carried->resized && e->out.channel == LT_CHANNEL_AREA)
		LT_ENCODE(&e->out, units, ev->context, VRESIZE, .ptr = ev->ptr,
			  .call_site = call_site, .bytes_req = carried->req,
			  .bytes_alloc = carried->alloc);
	else if (carried->resized)
		LT_ENCODE(&e->out, units, ev->context, RESIZE, .ptr = ev->ptr,
			  .call_site = call_site, .bytes_req = carried->req);
	check(e);
}

void lt_state_cache(struct lt_state_encoder *e, const struct lt_cache *cache, uint64_t units)
{
	struct lt_rec_CACHE rec = {
		.cache = (uint16_t)lt_trace_cache_id(e->t, cache->id), .ptr = cache->ptr,
		.object_size = cache->object_size, .size = cache->size,
	};

	memcpy(rec.name, cache->name, strnlen(cache->name, sizeof(rec.name)));
	lt_encode_record(&e->out, units, LT_CTX_TASK, LT_EV_CACHE, &rec);
	check(e);
}

void lt_state_cache_gone(struct lt_state_encoder *e, uint32_t number, uint64_t units)
{
	LT_ENCODE(&e->out, units, LT_CTX_TASK, CACHE_GONE,
		  .cache = (uint16_t)lt_trace_cache_id(e->t, number));
	check(e);
}

void lt_state_exit(struct lt_state_encoder *e, const struct lt_task *task, uint64_t units)
{
	LT_ENCODE(&e->out, units, LT_CTX_TASK, TASK_EXIT, .tid = task->tid, .tgid = task->tgid,
		  .start = task->start);
	check(e);
}
