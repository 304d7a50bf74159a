// SPDX-License-Identifier: GPL-2.0
/*
 * The texts of a session of the BPF programs, as the module's files have them.
 */
#ifdef LT_HAVE_LIBBPF

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bpf/gfp.h"
#include "bpf/session.h"
#include "encode/texts.h"
#include "fetch/btf.h"

#define BTF	"/sys/kernel/btf/vmlinux"

/* Filters of births, which the text has only where there are some. */
static void add_births(const struct lt_bpf_params *p, struct lt_str *text)
{
	static const char *const keys[] = { "max_size", "only_pid", "only_cgroup" };
	bool any = false;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = lt_bpf_param(p, keys[i]);

		if (!*value || !strcmp(value, "0"))
			continue;
		if (!any)
			lt_str_put(text, "births_filtered=1\n");
		any = true;
		lt_str_add(text, "%s=%s\n", keys[i], value);
	}
}

/* Filters of system calls, as the module has them. */
static void add_calls(const struct lt_bpf_session *s, struct lt_str *text)
{
	const struct lt_bpf_params *p = s->params;
	const char *native = lt_bpf_param(p, "calls"), *compat = lt_bpf_param(p, "calls32");

	if (!(s->channels & 1U << LT_CHANNEL_SYSCALL))
		return;
	if (*native || *compat)
		lt_str_add(text, "calls=%s\ncalls32=%s\n", native, compat);
	lt_str_add(text, "call_errors=%d\ncall_min=%" PRIu64 "\n",
		   lt_bpf_param_flag(p, "call_errors"), lt_bpf_param_number(p, "call_min"));
}

void lt_bpf_session_info(const struct lt_bpf_session *s, struct lt_str *text)
{
	const struct lt_bpf_params *p = s->params;
	struct utsname u;
	struct lt_encode_info info = {
		.machine = &s->machine, .clock = "mono", .clock_freq = 1000000000,
		.channels = s->channels, .mode = "stream", .sample = 1, .flush_ms = 0,
		.cache_names = true, .min_size = lt_bpf_param_number(p, "min_size"),
		.stacks = lt_bpf_param_number(p, "stacks"),
		.stack_min = lt_bpf_param_number(p, "stack_min"),
		.stack_depth = (unsigned int)lt_bpf_param_number(p, "stack_depth"),
		.pid_gen_exact = lt_bpf_session_is_exact(s),
	};

	uname(&u);
	info.kernel_release = u.release;
	info.kernel_version = u.version;
	info.machine_name = u.machine;
	if (lt_bpf_param_number(p, "sample"))
		info.sample = lt_bpf_param_number(p, "sample");
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		bool pid = channel == LT_CHANNEL_PID;

		info.packet_size[channel] =
			lt_bpf_param_number(p, pid ? "pid_subbuf_size" : "subbuf_size");
		info.n_packets[channel] =
			lt_bpf_param_number(p, pid ? "pid_n_subbufs" : "n_subbufs");
	}
	lt_encode_info(text, &info);
	add_births(p, text);
	add_calls(s, text);
	lt_str_add(text, "engine=bpf\ncopies=%u\nno_cpu=%u\n", lt_bpf_copies(s->b), s->n_cpus);
}

static void add_event(const struct lt_bpf_session *s, const struct lt_bpf_event *e,
		      struct lt_str *text)
{
	const char *reason = e->watched ? NULL : e->reason;
	char found[100];

	for (size_t i = 0; i < s->n_unproven; i++) {
		const struct lt_bpf_proof *p = &s->unproven[i];

		if (strcmp(p->event, e->name))
			continue;
		snprintf(found, sizeof(found), "the self-test saw %" PRIu64 " of %" PRIu64 " events",
			 p->seen, p->expected);
		reason = found;
	}
	lt_encode_event_line(text, e->name, e->kind, reason);
}

/*
 * What the module watches and no program does, by the module's names: a reader must not take an
 * object for alive that such a function may have freed. Functions that this kernel lacks are no
 * events.
 */
static const struct {
	const char *name;
	unsigned int channel;		/* is recorded; 0: any */
	const char *reason;
	const char *functions[3];	/* the kernel has one of these; none: it has it anyway */
} never[] = {
	{ "module", 0, "modules that come and go are not seen", { NULL } },
	{ "kmalloc_nolock", 0, "no program records kmalloc_nolock()",
	  { "_kmalloc_nolock_noprof", "kmalloc_nolock_noprof" } },
	{ "kfree_nolock", 0, "no program records kfree_nolock()", { "kfree_nolock" } },
	{ "page_bulk", 0, "no program records pages of bulk allocations",
	  { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" } },
	{ "page_contig", 0, "no program records contiguous ranges of pages",
	  { "alloc_contig_frozen_range_noprof", "alloc_contig_range_noprof",
	    "alloc_contig_range" } },
	{ "page_isolate", 0, "no program records pages that compaction takes",
	  { "isolate_freepages_range" } },
	{ "vresize", LT_CHANNEL_AREA, "no program records vrealloc()",
	  { "vrealloc_node_align_noprof", "vrealloc_noprof" } },
	{ "uring_submit", LT_CHANNEL_SYSCALL, "no program records requests of io_uring", { NULL } },
	{ "uring_queue", LT_CHANNEL_SYSCALL, "no program records requests of io_uring", { NULL } },
	{ "uring_complete", LT_CHANNEL_SYSCALL, "no program records requests of io_uring",
	  { NULL } },
	{ "dma_alloc", LT_CHANNEL_AREA, "no program records dma_alloc_attrs()",
	  { "dma_alloc_attrs" } },
	{ "dma_free", LT_CHANNEL_AREA, "no program records dma_free_attrs()",
	  { "dma_free_attrs" } },
};

static bool is_here(const struct lt_bpf *b, const char *const functions[3])
{
	bool here = !functions[0];

	for (unsigned int i = 0; i < 3 && functions[i]; i++)
		here |= lt_bpf_has_function(b, functions[i]);
	return here;
}

void lt_bpf_session_events(const struct lt_bpf_session *s, struct lt_str *text)
{
	for (size_t i = 0; i < lt_bpf_n_events(s->b); i++)
		add_event(s, lt_bpf_event(s->b, i), text);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if ((!never[i].channel || s->channels & 1U << never[i].channel) &&
		    is_here(s->b, never[i].functions))
			lt_encode_event_line(text, never[i].name, "function", never[i].reason);
	}
}

void lt_bpf_session_stats(const struct lt_bpf_session *s, struct lt_str *text)
{
	struct lt_transcode_odd odd = lt_transcode_odd(s->t);

	lt_encode_stats(text, s->stopped ? "draining" : "recording", s->stopped);
	if (s->damaged)
		lt_str_put(text, "error a ring of the BPF programs is damaged\n");
	lt_transcode_stats(s->t, text);
	for (size_t i = 0; i < lt_bpf_n_events(s->b); i++) {
		const struct lt_bpf_event *e = lt_bpf_event(s->b, i);
		struct lt_bpf_copies c;

		lt_bpf_event_copies(s->b, i, &c);
		lt_str_add(text, "copies %s runs %" PRIu64 " %" PRIu64 " %" PRIu64 " missed"
			   " %" PRIu64 " %" PRIu64 " %" PRIu64 " passed %" PRIu64 "\n", e->name,
			   c.runs[0], c.runs[1], c.runs[2], c.missed[0], c.missed[1], c.missed[2],
			   c.passed);
	}
	for (unsigned int i = 0; i < LT_BPF_N_WITHOUT; i++)
		lt_str_add(text, "unclassed %s lost %" PRIu64 "\n", lt_bpf_unclassed_name(i),
			   s->without[i].sure);
	lt_str_add(text, "odd differ %" PRIu64 " unknown %" PRIu64 " late %" PRIu64
		   " pages %" PRIu64 " stacks %" PRIu64 " caches %" PRIu64 "\n", s->differ,
		   odd.unknown, odd.late, odd.pages, odd.stacks, odd.caches);
}

void lt_bpf_session_schema(const struct lt_bpf_session *s, struct lt_str *text)
{
	struct lt_bpf_gfp names[LT_BPF_GFP_MAX];
	struct lt_encode_gfp gfp[LT_BPF_GFP_MAX];
	struct lt_why why;
	struct lt_btf *btf = lt_btf_read(BTF, NULL, &why);
	struct utsname u;
	size_t n;

	(void)s;
	uname(&u);
	n = lt_bpf_gfp_names(btf, u.release, names);
	for (size_t i = 0; i < n; i++)
		gfp[i] = (struct lt_encode_gfp){ .mask = names[i].mask, .name = names[i].name };
	lt_encode_schema(text, 0, gfp, n);
	lt_btf_free(btf);
}

#endif /* LT_HAVE_LIBBPF */
