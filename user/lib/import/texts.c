// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The texts of an imported trace: what the source is, what was watched in it, what is missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "import/internal.h"

static unsigned int channels_of(const struct lt_import *im)
{
	unsigned int channels = 1U << LT_CHANNEL_KMEM;

	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		if (lt_import_has(im, k))
			channels |= 1U << lt_import_channel(k);
	}
	return channels;
}

/* Release 5.16 as 5016; 0: not known. */
static unsigned int release_of(const struct lt_import *im)
{
	unsigned int major, minor;

	if (sscanf(im->source.release, "%u.%u", &major, &minor) != 2 || major > 1000 || minor > 999)
		return 0;
	return major * 1000 + minor;
}

static const char *clock_name(const char *clock)
{
	if (!strcmp(clock, "mono_raw"))
		return "raw";
	return clock[0] ? clock : "unknown";
}

/* A text of the source, which may have any bytes, as the value of a key. */
static void add_text(struct lt_str *text, const char *key, const char *value)
{
	if (!value[0])
		return;
	lt_str_add(text, "%s=", key);
	for (; *value; value++)
		lt_str_add(text, "%c", (unsigned char)*value < ' ' ? ' ' : *value);
	lt_str_put(text, "\n");
}

void lt_import_info(const struct lt_import *im, struct lt_str *text)
{
	const struct lt_import_source *s = &im->source;
	unsigned int release = release_of(im);
	const struct lt_encode_info info = {
		.machine = &s->machine, .clock = clock_name(s->clock), .clock_freq = 1000000000,
		.kernel_release = s->release, .kernel_version = "",
		.machine_name = s->machine_name, .channels = channels_of(im),
		.mode = "stream", .sample = 1,
		/* A kernel that is not known may trace a free behind the release. */
		.late_free = release < 5016, .cache_names = true,
	};

	lt_encode_info(text, &info);
	add_text(text, "hostname", s->host);
	lt_str_add(text, "engine=%s%s\n", s->live ? "" : "import of ", s->tool);
	add_text(text, "source_clock", s->clock);
	lt_str_add(text, "tasks_unknown=usage,owner%s%s\n", s->exit_has_code ? "" : ",code",
		   s->exit_has_group ? "" : ",group");
}

void lt_import_schema(const struct lt_import *im, struct lt_str *text)
{
	lt_encode_schema(text, 0, im->source.gfp, im->source.n_gfp);
}

/* ------------------------------------------------------------------------
 * EVENTS
 */

#define NO_EVENT	"this tool records no such event"

static const char *reason_of(const struct lt_import *im, enum lt_import_kind kind)
{
	if (im->source.partly[kind])
		return im->source.partly[kind];
	if (im->counts.events[kind] || (im->source.live && lt_import_has(im, kind)))
		return NULL;
	if (!lt_import_has(im, kind))
		return im->source.live ? "this engine records no such event" :
					 "the file has no such event";
	return "no such event is in the file, which does not say whether it was recorded";
}

static void add_kind(const struct lt_import *im, struct lt_str *text, const char *name,
		     enum lt_import_kind kind)
{
	lt_encode_event_line(text, name, "tracepoint", reason_of(im, kind));
}

static void add_never(struct lt_str *text, const char *const names[], const char *reason)
{
	for (; *names; names++)
		lt_encode_event_line(text, *names, "function", reason);
}

/* From 6.18 on there are kmalloc_nolock() and kfree_nolock(). */
static void add_nolock(const struct lt_import *im, struct lt_str *text)
{
	static const char *const names[] = { "kmalloc_nolock", "kfree_nolock", NULL };
	unsigned int release = release_of(im);

	if (im->source.hashed)
		add_never(text, names, "addresses are hashed to 32 bits: two may look like one");
	else if (!release || release >= 6018)
		add_never(text, names, NO_EVENT);
}

static void add_memory(const struct lt_import *im, struct lt_str *text)
{
	static const char *const never[] = {
		"bulk_alloc", "bulk_free", "rcu_free", "resize", "page_bulk", "page_contig",
		"page_isolate", "cache_gone", "module", NULL
	};

	add_kind(im, text, "kmalloc", LT_IMPORT_KMALLOC);
	add_kind(im, text, "kmem_cache_alloc", LT_IMPORT_CACHE_ALLOC);
	/* Kernels whose events name the node have no others. */
	if (!im->source.alloc_has_node) {
		add_kind(im, text, "kmalloc_node", LT_IMPORT_KMALLOC_NODE);
		add_kind(im, text, "kmem_cache_alloc_node", LT_IMPORT_CACHE_ALLOC_NODE);
	}
	add_kind(im, text, "kfree", LT_IMPORT_KFREE);
	add_kind(im, text, "kmem_cache_free", LT_IMPORT_CACHE_FREE);
	add_kind(im, text, "page_alloc", LT_IMPORT_PAGE_ALLOC);
	add_kind(im, text, "page_free", LT_IMPORT_PAGE_FREE);
	add_kind(im, text, "page_free_batched", LT_IMPORT_PAGE_BATCHED);
	add_never(text, never, NO_EVENT);
	add_nolock(im, text);
}

/* Either event of a birth says that there was one. */
static void add_birth(const struct lt_import *im, struct lt_str *text)
{
	bool fork = im->counts.events[LT_IMPORT_FORK] || !lt_import_has(im, LT_IMPORT_NEWTASK);

	add_kind(im, text, "task_new", fork ? LT_IMPORT_FORK : LT_IMPORT_NEWTASK);
}

static void add_tasks(const struct lt_import *im, struct lt_str *text)
{
	static const char *const never[] = {
		"release", "oom_score_adj", "cred", "cgroup", "number", "number_free", NULL
	};

	add_birth(im, text);
	add_kind(im, text, "exec", LT_IMPORT_EXEC);
	add_kind(im, text, "rename", LT_IMPORT_RENAME);
	add_kind(im, text, "exit", LT_IMPORT_EXIT);
	add_never(text, never, NO_EVENT);
	lt_encode_event_line(text, "state", "snapshot",
			     "this tool does not write down which tasks there are at the begin");
}

static void add_calls(const struct lt_import *im, struct lt_str *text)
{
	static const char *const never[] = {
		"uring_submit", "uring_queue", "uring_complete", NULL
	};

	add_kind(im, text, "sys_enter", LT_IMPORT_SYS_ENTER);
	add_kind(im, text, "sys_exit", LT_IMPORT_SYS_EXIT);
	add_never(text, never, NO_EVENT);
}

void lt_import_events(const struct lt_import *im, struct lt_str *text)
{
	unsigned int channels = channels_of(im);

	add_memory(im, text);
	if (channels & 1U << LT_CHANNEL_PID)
		add_tasks(im, text);
	if (channels & 1U << LT_CHANNEL_SYSCALL)
		add_calls(im, text);
	if (im->source.events)
		lt_str_add(text, "%s", im->source.events);
}

/* ------------------------------------------------------------------------
 * STATS
 */

void lt_import_stats(const struct lt_import *im, struct lt_str *text)
{
	const struct lt_import_counts *c = &im->counts;

	lt_encode_stats(text, "idle", im->last);
	for (size_t i = 0; i < im->n_cpus; i++) {
		for (unsigned int k = 0; k <= LT_N_CHANNELS; k++) {
			if (im->cpus[i].e[k])
				lt_encode_stream_stats(text, im->cpus[i].e[k]);
		}
	}
	lt_str_add(text, "cache_overflow %" PRIu64 "\n", im->caches.overflow);
	lt_str_add(text, "import places %" PRIu64 " lost %" PRIu64 " unnumbered %" PRIu64
		   " late %" PRIu64 " unusable %" PRIu64 "\n", c->places, c->lost, c->unnumbered,
		   c->late, c->unusable);
}
