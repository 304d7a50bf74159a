// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a source to the streams of a trace, one for each channel and CPU.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "import/internal.h"
#include "syscalls/names.h"

struct lt_import *lt_import_new(const struct lt_import_source *source, lt_encode_take *take,
				void *arg)
{
	struct lt_import *im = lt_alloc(sizeof(*im));

	im->source = *source;
	im->take = take;
	im->arg = arg;
	im->abi = source->machine_name[0] ? lt_abi_of(source->machine_name, false) : NULL;
	lt_import_tasks_init(&im->tasks);
	lt_import_caches_init(&im->caches);
	return im;
}

void lt_import_free(struct lt_import *im)
{
	if (!im)
		return;
	for (size_t i = 0; i < im->n_cpus; i++) {
		for (unsigned int c = 0; c <= LT_N_CHANNELS; c++) {
			if (im->cpus[i].e[c])
				lt_encoder_destroy(im->cpus[i].e[c]);
			free(im->cpus[i].e[c]);
		}
	}
	free(im->cpus);
	lt_import_tasks_destroy(&im->tasks);
	lt_import_caches_destroy(&im->caches);
	free(im);
}

void lt_import_hashed(struct lt_import *im)
{
	im->source.hashed = true;
}

/* What happened between, and in which order, is not known. */
static void note_late(struct lt_import *im, uint64_t time, uint64_t last)
{
	if (!im->counts.late++ || time < im->late_from)
		im->late_from = time;
	/* Such events have the time of the last one in the trace: this is within the gap. */
	if (last >= im->late_to)
		im->late_to = last + 1;
	if (im->late_to > im->last)
		im->last = im->late_to;
}

static void note_time(struct lt_import *im, uint32_t cpu, uint64_t time)
{
	struct lt_import_cpu *c = lt_import_cpu(im, cpu);

	if (!im->any)
		im->first = time;
	im->any = true;
	if (time < c->last)
		note_late(im, time, c->last);
	else
		c->last = time;
	if (time > im->last)
		im->last = time;
}

void lt_import_event(struct lt_import *im, const struct lt_import_event *ev)
{
	if (ev->cpu >= LT_IMPORT_MAX_CPU || !ev->kind || ev->kind >= LT_N_IMPORT) {
		im->counts.unusable++;
		return;
	}
	im->counts.events[ev->kind]++;
	note_time(im, ev->cpu, ev->time);
	switch (lt_import_channel(ev->kind)) {
	case LT_CHANNEL_KMEM:
		lt_import_kmem(im, ev);
		break;
	case LT_CHANNEL_PID:
		lt_import_pid(im, ev);
		break;
	default:
		lt_import_sys(im, ev);
		break;
	}
}

void lt_import_counter(struct lt_import *im, uint64_t time, const struct lt_rec_COUNTER *rec)
{
	note_time(im, 0, time);
	lt_encode_record(lt_import_stream(im, LT_CHANNEL_PID, 0), time, LT_CTX_TASK,
			 LT_EV_COUNTER, rec);
}

/* ------------------------------------------------------------------------
 * Losses
 */

/*
 * Which events are missing is not known, only how many of all: of each class it may be so many.
 * Without a number one is counted, so that the place is known.
 */
static void lose(struct lt_import *im, unsigned int channel, const struct lt_import_loss *loss)
{
	struct lt_encoder *e = lt_import_stream(im, channel, loss->cpu);
	uint64_t n = loss->n ? loss->n : 1;
	bool done[LT_N_CLASSES] = { false };

	/* The gap is from the end of one packet to the begin of the next. */
	lt_encode_begin(e, loss->from);
	lt_encode_end(e, loss->from);
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		unsigned int class = lt_import_class(k);

		if (lt_import_channel(k) != channel || !lt_import_has(im, k) ||
		    done[LT_CLASS_INDEX(class)])
			continue;
		done[LT_CLASS_INDEX(class)] = true;
		lt_encode_lost(e, class, LT_ENCODE_FULL, n);
	}
	lt_encode_begin(e, loss->to);
	lt_encode_end(e, loss->to);
}

static void lose_all(struct lt_import *im, const struct lt_import_loss *loss)
{
	bool done[LT_N_CHANNELS + 1] = { false };

	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		unsigned int channel = lt_import_channel(k);

		if (!lt_import_has(im, k) || done[channel])
			continue;
		done[channel] = true;
		lose(im, channel, loss);
	}
}

/* Empty packets: a trace begins with its first one. */
void lt_import_begin(struct lt_import *im, uint64_t time)
{
	note_time(im, 0, time);
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		bool any = false;

		for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++)
			any |= lt_import_has(im, k) && lt_import_channel(k) == channel;
		if (!any)
			continue;
		lt_encode_begin(lt_import_stream(im, channel, 0), time);
		lt_encode_end(lt_import_stream(im, channel, 0), time);
	}
}

void lt_import_lost(struct lt_import *im, const struct lt_import_loss *loss)
{
	if (loss->cpu >= LT_IMPORT_MAX_CPU) {
		im->counts.unusable++;
		return;
	}
	im->counts.places++;
	im->counts.lost += loss->n;
	im->counts.unnumbered += !loss->n;
	note_time(im, loss->cpu, loss->to);
	lose_all(im, loss);
}

void lt_import_missed(struct lt_import *im, uint64_t n)
{
	if (!n)
		return;
	im->counts.places++;
	im->counts.lost += n;
	im->missed += n;
}

/*
 * A gap over all of the trace, or where times go back, in each channel, on a CPU that has no
 * events: a stream in which there are some can have no gap over them.
 */
static void lose_anywhere(struct lt_import *im)
{
	struct lt_import_loss loss = {
		.cpu = (uint32_t)im->n_cpus, .from = im->late_from, .to = im->late_to,
		.n = im->missed + im->counts.late,
	};

	if (im->missed) {
		loss.from = im->first;
		loss.to = im->last;
	}
	if (loss.n && im->any)
		lose_all(im, &loss);
}

/* ------------------------------------------------------------------------
 * The end
 */

/* Calls that are open. */
static void end_calls(struct lt_import *im)
{
	const struct lt_import_event end = { .time = im->last };

	for (size_t i = 0; i < im->tasks.n; i++)
		lt_import_sys_open(im, &end, &im->tasks.all[i], LT_SYS_AT_END);
}

void lt_import_until(struct lt_import *im, uint64_t time)
{
	if (im->any && time > im->last)
		im->last = time;
}

uint64_t lt_import_pending(const struct lt_import *im)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < im->n_cpus; i++) {
		for (unsigned int c = 0; c <= LT_N_CHANNELS; c++)
			sum += im->cpus[i].e[c] ? im->cpus[i].e[c]->len : 0;
	}
	return sum;
}

void lt_import_end(struct lt_import *im)
{
	end_calls(im);
	lose_anywhere(im);
	for (size_t i = 0; i < im->n_cpus; i++) {
		for (unsigned int c = 0; c <= LT_N_CHANNELS; c++) {
			struct lt_encoder *e = im->cpus[i].e[c];

			if (e)
				lt_encode_last(e, im->last > e->last ? im->last : e->last);
		}
	}
}

int lt_import_ret(const struct lt_import *im)
{
	return im->ret;
}

struct lt_import_counts lt_import_counts(const struct lt_import *im)
{
	return im->counts;
}
