// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace.dat says of itself: machine, clock, events, names of flags.
 */
#ifdef LT_HAVE_TRACEEVENT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/trace_dat.h"
#include "out/log.h"

#define MAGIC	10	/* bytes */
#define BEGIN	64

/* "Linux host 6.1.0-56-amd64 x86_64" */
static void read_uname(struct lt_dat *r)
{
	const char *text = r->extra.get_uname ? r->extra.get_uname(r->input) : NULL;

	/* Words: a line of its own would be a key of INFO. */
	if (text)
		sscanf(text, "%*s %64s %64s %64s", r->host, r->release, r->machine);
}

/* The file trace_clock: "[local] global", or the name alone. */
static void read_clock_name(struct lt_dat *r)
{
	const char *text = r->extra.get_trace_clock ? r->extra.get_trace_clock(r->handle) : NULL;
	const char *chosen = text ? strchr(text, '[') : NULL;

	if (text)
		sscanf(chosen ? chosen + 1 : text, "%32[a-z0-9_-]", r->clock);
}

/* The names of flags, from the format of an event; the library has computed their values. */
static void read_gfp(struct lt_dat *r, enum lt_import_kind kind)
{
	const struct tep_event *event = r->plans[kind].event;
	size_t n = 0;

	if (!event || r->source.n_gfp)
		return;
	for (const struct tep_print_arg *a = event->print_fmt.args; a; a = a->next) {
		const struct tep_print_arg *flags = a;

		/* (flags) ? __print_flags(…) : "none" */
		if (a->type == TEP_PRINT_OP && a->op.right && a->op.right->type == TEP_PRINT_OP)
			flags = a->op.right->op.left;
		if (!flags || flags->type != TEP_PRINT_FLAGS)
			continue;
		for (const struct tep_print_flag_sym *s = flags->flags.flags; s && n < LT_DAT_GFP;
		     s = s->next) {
			uint64_t mask = s->value ? strtoull(s->value, NULL, 0) : 0;

			if (mask && s->str && !strpbrk(s->str, " \n\t"))
				r->gfp[n++] = (struct lt_encode_gfp){ mask, s->str };
		}
	}
	r->source.n_gfp = n;
	r->source.gfp = r->gfp;
}

/*
 * The begin of a file: its magic and version, a byte for the order, one for the size of a long, 4
 * for that of a page; from version 7 on name and version of the compression.
 * Return: the length of @begin, which ends with 0 then; @at: behind the version.
 */
static size_t read_begin(const char *path, unsigned char begin[BEGIN], size_t *at)
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(begin, 1, BEGIN - 1, f) : 0;

	if (f)
		fclose(f);
	begin[n] = 0;
	*at = MAGIC;
	while (*at < n && begin[*at])
		++*at;
	++*at;
	return n;
}

/* Return: the log2 of the size of a page; 0: it is none. */
static uint8_t page_shift(const struct lt_dat *r)
{
	unsigned char begin[BEGIN];
	size_t at, n = read_begin(r->path, begin, &at);
	bool big = r->lib->is_bigendian(r->tep);
	uint32_t size = 0;

	at += 2;
	for (unsigned int i = 0; at + 4 <= n && i < 4; i++)
		size |= (uint32_t)begin[at + i] << 8 * (big ? 3 - i : i);
	for (uint8_t shift = 12; shift <= 20; shift++) {
		if (size == 1U << shift)
			return shift;
	}
	return 0;
}

void lt_dat_refuse(const struct lt_dat *r)
{
	unsigned char begin[BEGIN];
	size_t at, n = read_begin(r->path, begin, &at);
	const char *name = "none";
	size_t len;

	if (at + 6 < n && strtol((const char *)begin + MAGIC, NULL, 10) >= 7)
		name = (const char *)begin + at + 6;
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
	/* Whole, and a name. */
	if (strcmp(name, "none") && len && !name[len] && at + 6 + len + 1 < n &&
	    r->extra.compress_is_supported &&
	    !r->extra.compress_is_supported(name, name + len + 1))
		lt_error("%s: it is compressed by %s, which this libtracecmd cannot read ('trace-cmd list -c' says what it can); where it was recorded: trace-cmd convert --compression none -i FILE -o NEW",
			 r->path, name);
	else
		lt_error("%s: expected a trace.dat of trace-cmd, found none that libtracecmd can read",
			 r->path);
}

/* Of the kernel, which the field of an address has; that of the file is of user space. */
static uint8_t long_size(const struct lt_dat *r)
{
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		for (unsigned int i = 0; r->plans[k].event && i < r->plans[k].n; i++) {
			const char *name = r->plans[k].fields[i].member->name;

			if (!strcmp(name, "call_site") || !strcmp(name, "pfn") ||
			    !strcmp(name, "ret"))
				return r->plans[k].fields[i].field->size == 4 ? 4 : 8;
		}
	}
	return r->lib->get_long_size(r->tep) == 4 ? 4 : 8;
}

void lt_dat_describe(struct lt_dat *r)
{
	struct lt_encode_machine *m = &r->source.machine;

	r->source.tool = "trace-cmd";
	r->source.release = r->release;
	r->source.machine_name = r->machine;
	/* A recording of our own says it itself. */
	r->source.host = r->f->recorded ? "" : r->host;
	r->source.live = r->f->recorded;
	r->source.clock = r->clock;
	read_uname(r);
	read_clock_name(r);
	*m = lt_encode_this_machine();
	m->big = r->lib->is_bigendian(r->tep);
	m->size_long = m->size_ptr = long_size(r);
	m->page_shift = page_shift(r);
	m->session = r->lib->get_traceid(r->input);
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		if (lt_dat_is_usable(r, k))
			r->source.kinds |= 1U << k;
	}
	r->source.alloc_has_node = lt_dat_has_field(r, LT_IMPORT_KMALLOC, "node") ||
				   lt_dat_has_field(r, LT_IMPORT_CACHE_ALLOC, "node");
	r->source.alloc_has_name = lt_dat_has_field(r, LT_IMPORT_CACHE_ALLOC, "name");
	r->source.exit_has_group = lt_dat_has_field(r, LT_IMPORT_EXIT, "group_dead");
	read_gfp(r, LT_IMPORT_KMALLOC);
	read_gfp(r, LT_IMPORT_PAGE_ALLOC);
}

static bool has_times(const struct lt_dat *r)
{
	static const char *const none[] = { "counter", "x86-tsc", "uptime", "ppc-tb" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (!strcmp(r->clock, none[i])) {
			lt_error("%s: recorded with the clock \"%s\", which has no ns; record with trace-cmd record -C mono",
				 r->path, none[i]);
			return false;
		}
	}
	return true;
}

bool lt_dat_is_supported(const struct lt_dat *r)
{
	if (!has_times(r))
		return false;
	if (!r->source.kinds) {
		lt_error("%s: expected events of kmem, sched, task or raw_syscalls, found none of them",
			 r->path);
		return false;
	}
	if (!r->source.machine.page_shift) {
		lt_error("%s: expected a page size of 4 KiB to 1 MiB, found none", r->path);
		return false;
	}
	return true;
}

#endif /* LT_HAVE_TRACEEVENT */
