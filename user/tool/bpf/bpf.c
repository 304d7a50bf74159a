// SPDX-License-Identifier: GPL-2.0
/*
 * A session of the BPF programs: begin and end.
 */
#include "bpf/bpf.h"

#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "format/packet.h"
#include "bpf/internal.h"

#define WAIT_MS		1000
#define COPIES_NS	500000000ULL	/* for copies of a task that does not run */
#define POSSIBLE	"/sys/devices/system/cpu/possible"

bool lt_bpf_built(void)
{
	return true;
}

/* ------------------------------------------------------------------------
 * What is set in the programs
 */

/* "0-3" or "0,2-5": one more than the last. @n: how many there are */
static unsigned int possible_cpus(uint32_t *n)
{
	char *text = lt_read_text_file(POSSIBLE, 4096, NULL), *rest = text, *word;
	unsigned int first, last, end = 0;

	*n = 0;
	while ((word = rest ? strsep(&rest, ",") : NULL) != NULL) {
		int found = sscanf(word, "%u-%u", &first, &last);

		if (found == 1)
			last = first;
		if (found < 1 || last >= LT_MAX_CPU || first > last || first < end)
			break;
		*n += last - first + 1;
		end = last + 1;
	}
	free(text);
	if (!end)
		*n = end = 1;
	return end;
}

/* 2^32 / one_in, as the module. */
static uint32_t threshold(unsigned int one_in)
{
	return one_in > 1 ? (uint32_t)((1ULL << 32) / one_in) : 0;
}

static uint64_t boot_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The short ways of programs, where they do all that is asked for. */
static bool is_quick(const struct lt_bpf_config *c)
{
	bool filters = c->sample || c->min_size || c->max_size || c->tree || c->cgroup;
	bool notes = c->copies == 1 || (c->copies == 2 && c->notes_by_cpu);

	return !filters && !c->strong && notes &&
	       (c->level == LT_BPF_LEVEL_SYMBOL || c->level == LT_BPF_LEVEL_CAST);
}

static void configure(struct lt_bpf *b, const struct lt_bpf_options *o)
{
	const struct lt_bpf_kernel *k = &b->kernel;
	struct lt_bpf_config *c = &b->config;
	long page = sysconf(_SC_PAGESIZE);

	c->level = k->level;
	c->level_delta = k->level_delta;
	c->copies = o->copies ? o->copies : k->preemptible ? 3 : 2;
	if (c->copies > LT_BPF_COPIES)
		c->copies = LT_BPF_COPIES;
	/* Copy 1 takes a note back as the last one, in its short way. */
	c->notes_by_cpu = !k->preemptible && !o->notes_by_key && k->level != LT_BPF_LEVEL_NONE &&
			  c->copies <= 2;
	c->strong = k->strong;
	c->exit_says_dead = k->exit_says_dead;
	c->bulk_says_all = k->bulk_says_all;
	c->rcu_by_offset = k->rcu_by_offset;
	c->sample = threshold(o->sample);
	c->min_size = o->min_size;
	c->max_size = o->max_size;
	c->tree = o->only_pid != 0;
	c->cgroup = o->only_cgroup != NULL;
	c->by_number = o->by_number;
	memcpy(c->chosen, o->chosen, sizeof(c->chosen));
	c->errors = o->call_errors;
	c->call_min = o->call_min;
	c->page_size = k->page_struct;
	c->page_mask = k->page_mask;
	while ((1L << c->page_shift) < page)
		c->page_shift++;
	if (o->stacks) {
		c->stack_below = (1ULL << 32) / o->stacks;
		c->stack_min = o->stack_min;
		c->stack_depth = o->stack_depth && o->stack_depth < LT_RAW_STACK_FRAMES ?
				 o->stack_depth : LT_RAW_STACK_FRAMES;
	}
}

/* A power of two. */
static size_t ring_bytes(size_t wanted, size_t usual)
{
	size_t n = LT_BPF_RING_MIN;

	if (!wanted)
		wanted = usual;
	while (n < wanted && n < LT_BPF_RINGS_MAX)
		n *= 2;
	return n;
}

struct lt_bpf *lt_bpf_open(const struct lt_bpf_options *o, struct lt_why *why)
{
	struct lt_bpf *b = lt_alloc(sizeof(*b));
	bool good;

	b->lib = lt_libbpf_load(why);
	good = b->lib && lt_bpf_kernel_read(&b->kernel, why);
	if (good) {
		struct lt_why none;

		b->n_cpus = possible_cpus(&b->config.possible);
		b->only_pid = o->only_pid;
		b->only_cgroup = o->only_cgroup ? lt_strdup(o->only_cgroup) : NULL;
		b->functions = lt_bpf_functions_work(b, &none);
		configure(b, o);
		b->config.n_cpus = b->n_cpus;
		b->config.quick_cpus = is_quick(&b->config) ? b->n_cpus : 0;
	}
	for (unsigned int i = 0; good && i < LT_BPF_N_PARTS; i++) {
		struct lt_bpf_channel *c = &b->channels[i];

		c->part = i;
		c->channel = lt_bpf_channel_of(i);
		c->ring.bytes = ring_bytes(o->ring_bytes[c->channel],
					   c->channel == LT_CHANNEL_PID ||
					   c->channel == LT_CHANNEL_AREA ? 1U << 20 : 4U << 20);
		if (o->channels >> c->channel & 1)
			good = lt_bpf_load(b, c, o, why);
	}
	if (good && lt_bpf_asked_load(b, why))
		return b;
	lt_bpf_close(b);
	return NULL;
}

/* ------------------------------------------------------------------------
 * Attaching
 */

static void detach(struct lt_bpf *b, struct lt_bpf_probe *p)
{
	/* The last copy first: what copy 0 has not missed, no other one takes. */
	for (unsigned int copy = LT_BPF_COPIES; copy-- > 0;) {
		if (p->links[copy])
			b->lib->bpf_link__destroy(p->links[copy]);
		p->links[copy] = NULL;
	}
}

/*
 * All copies, or none. Programs of a tracepoint run in the order in which they were attached, those
 * of a function in the opposite one; copy 0 has to run first. Where it is attached last, the others
 * have taken each event until then.
 */
static void attach(struct lt_bpf *b, const struct lt_bpf_channel *c, struct lt_bpf_probe *p)
{
	bool function = !strcmp(p->shown.kind, "function");

	for (unsigned int i = 0; i < LT_BPF_COPIES; i++) {
		unsigned int copy = function ? LT_BPF_COPIES - 1 - i : i;

		if (!p->programs[copy])
			continue;
		p->links[copy] = b->lib->bpf_program__attach(p->programs[copy]);
		p->ever = true;
		if (p->links[copy])
			continue;
		snprintf(p->shown.reason, sizeof(p->shown.reason), "cannot be attached: %s",
			 strerror(errno));
		p->shown.watched = false;
		detach(b, p);
		return;
	}
	p->early = function ? lt_bpf_taken_by_others(b, c, p) : 0;
}

static unsigned int attach_all(struct lt_bpf *b, bool frees)
{
	unsigned int n = 0;

	for (size_t part = 0; part < LT_BPF_N_PARTS; part++) {
		struct lt_bpf_channel *c = &b->channels[part];

		for (size_t i = 0; c->object && i < c->n_probes; i++) {
			struct lt_bpf_probe *p = &c->probes[i];

			if (!p->shown.watched || p->def->free != frees)
				continue;
			attach(b, c, p);
			n += p->shown.watched;
		}
	}
	return n;
}

/* @since: when all programs were attached, or LT_BPF_DETACHING */
static void set_watched(struct lt_bpf *b, uint64_t since)
{
	for (size_t part = 0; part < LT_BPF_N_PARTS; part++) {
		struct lt_bpf_channel *c = &b->channels[part];

		for (unsigned int cpu = 0; c->object && cpu < b->n_cpus; cpu++)
			__atomic_store_n(&lt_bpf_state(&c->ring, cpu)->watched, since,
					 __ATOMIC_RELEASE);
	}
}

/* Births first, in the opposite order. */
static void detach_all(struct lt_bpf *b)
{
	for (int frees = 0; frees < 2; frees++) {
		for (size_t part = LT_BPF_N_PARTS; part-- > 0;) {
			struct lt_bpf_channel *c = &b->channels[part];

			for (size_t i = c->n_probes; i-- > 0;) {
				if (c->probes[i].def->free == frees)
					detach(b, &c->probes[i]);
			}
		}
	}
}

bool lt_bpf_attach(struct lt_bpf *b, struct lt_why *why)
{
	unsigned int n = attach_all(b, true);

	if (!lt_bpf_filter(b, why)) {
		detach_all(b);
		return false;
	}
	n += attach_all(b, false);
	set_watched(b, boot_time());
	if (n)
		return true;
	lt_why_set(why, "no program could be attached");
	return false;
}

/*
 * A grace period: all CPUs have left the programs, but where these are preemptible. There a task
 * may still be within one; it is waited for as long as the rings show it.
 */
static void wait_for_programs(const struct lt_bpf *b)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (!b->kernel.preemptible)
		return;
	usleep(50 * 1000);
	for (unsigned int i = 0; i < WAIT_MS && lt_bpf_is_writing(b); i++)
		usleep(1000);
}

void lt_bpf_detach(struct lt_bpf *b)
{
	lt_bpf_calls_before(b);
	set_watched(b, LT_BPF_DETACHING);
	detach_all(b);
	wait_for_programs(b);
	b->detached = true;
	lt_bpf_calls_after(b);
}

void lt_bpf_close(struct lt_bpf *b)
{
	if (!b)
		return;
	detach_all(b);
	for (size_t part = 0; part < LT_BPF_N_PARTS; part++) {
		struct lt_bpf_channel *c = &b->channels[part];

		lt_bpf_ring_unmap(&c->ring);
		if (c->object)
			b->lib->bpf_object__close(c->object);
		free(c->probes);
	}
	lt_bpf_asked_close(b);
	lt_bpf_calls_free(b);
	free(b->only_cgroup);
	lt_bpf_kernel_free(&b->kernel);
	free(b);
}

unsigned int lt_bpf_n_cpus(const struct lt_bpf *b)
{
	return b->n_cpus;
}

bool lt_bpf_pfn(const struct lt_bpf *b, uint64_t page, uint64_t *pfn)
{
	if (!b->kernel.page_mask)
		return false;
	*pfn = (page & b->kernel.page_mask) / b->kernel.page_struct;
	return true;
}

unsigned int lt_bpf_copies(const struct lt_bpf *b)
{
	return b->config.copies;
}

bool lt_bpf_has_context(const struct lt_bpf *b)
{
	return b->config.level != LT_BPF_LEVEL_NONE;
}

bool lt_bpf_has_function(const struct lt_bpf *b, const char *name)
{
	struct lt_why none;

	return lt_bpf_function(&b->kernel, name, NULL, &none);
}

/*
 * What seems lost may be an event between two copies, whose task was preempted there. A loss that
 * is in the file stays, so it is waited for: with all records, since a loss has to be in a packet
 * of its time. Not for long, and not with rings that become full.
 */
static bool may_wait(struct lt_bpf *b)
{
	uint64_t now = lt_now_ns();

	if (b->detached || b->config.copies < 2)
		return false;
	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		if (b->channels[i].object && lt_bpf_ring_is_filling(b, &b->channels[i].ring))
			return false;
	}
	if (!b->waits_since)
		b->waits_since = now;
	return now - b->waits_since < COPIES_NS;
}

bool lt_bpf_poll(struct lt_bpf *b)
{
	bool more = false;

	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		struct lt_bpf_channel *c = &b->channels[i];

		if (!c->object)
			continue;
		lt_bpf_ring_look(b, &c->ring);
		more |= lt_bpf_look_skipped(b, c);
	}
	if (more && may_wait(b))
		return false;
	b->waits_since = 0;
	for (size_t i = 0; i < LT_BPF_N_PARTS; i++) {
		struct lt_bpf_channel *c = &b->channels[i];

		if (!c->object)
			continue;
		lt_bpf_ring_take(b, &c->ring);
		lt_bpf_take_skipped(c);
	}
	return true;
}

#else /* LT_HAVE_LIBBPF */

bool lt_bpf_built(void)
{
	return false;
}

#endif /* LT_HAVE_LIBBPF */
