// SPDX-License-Identifier: GPL-2.0
/*
 * trace.dat, as trace-cmd writes it: by libtracecmd, which knows its versions and byte orders.
 *
 * What is read here is a file of somebody else, by a library that trusts it. So no length or offset
 * that the library hands out is used before it is checked against the record, and cmd/import.c runs
 * all of this in a child, whose crash is an error like others.
 */
#ifdef LT_HAVE_TRACEEVENT

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/trace_dat.h"
#include "out/log.h"

#define MAX_SITES	(1U << 20)
#define LOOK_AHEAD	100000U		/* events, for the bases of addresses */
#define STUCK_SECONDS	120U
#define WATCH_EVENTS	65536U

/* ------------------------------------------------------------------------
 * Records
 */

/* Of common_flags, as the kernel's enum trace_flag_type has them. */
static uint8_t context_of(int flags)
{
	if (flags & 0x40)
		return LT_CTX_NMI;
	if (flags & 0x08)
		return LT_CTX_HARDIRQ;
	return flags & 0x10 ? LT_CTX_SOFTIRQ : LT_CTX_TASK;
}

static enum lt_import_kind kind_of(const struct lt_dat *r, int id)
{
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++) {
		if (r->source.kinds & 1U << k && r->plans[k].event->id == id)
			return k;
	}
	return LT_IMPORT_NONE;
}

/* False: the record is none that is taken in. */
static bool read_record(struct lt_dat *r, struct tep_record *rec, struct lt_import_event *ev)
{
	enum lt_import_kind kind;
	const char *comm;

	*ev = (struct lt_import_event){ .group_dead = -1 };
	/* The common fields of all events take 8 bytes. */
	if (rec->size < 8 || rec->cpu < 0)
		return false;
	kind = kind_of(r, r->lib->data_type(r->tep, rec));
	if (!kind)
		return false;
	ev->kind = kind;
	ev->cpu = (uint32_t)rec->cpu;
	ev->time = rec->ts;
	ev->pid = r->lib->data_pid(r->tep, rec);
	ev->context = context_of(r->lib->data_flags(r->tep, rec));
	ev->tid = ev->pid;
	ev->has_node = lt_dat_has_field(r, kind, "node");
	ev->flags_known = kind == LT_IMPORT_NEWTASK;
	comm = r->lib->comm_from_pid(r->tep, ev->pid);
	/* "<...>" stands for a name that is not in the file. */
	if (comm && strcmp(comm, "<...>"))
		memcpy(ev->comm, comm, strnlen(comm, sizeof(ev->comm) - 1));
	return lt_dat_fill(r, rec, &r->plans[kind], ev);
}

/* The function of a call site, once for each. */
static void take_site(struct lt_dat *r, uint64_t site)
{
	uint32_t hash = (uint32_t)lt_hash64(site, r->seed), number;
	const char *name;

	if (!site || r->n_sites == MAX_SITES)
		return;
	lt_map_for_each(number, at, &r->map, hash) {
		if (r->sites[number - 1] == site)
			return;
	}
	r->sites = lt_grow(r->sites, &r->cap_sites, r->n_sites, sizeof(*r->sites));
	r->sites[r->n_sites++] = site;
	lt_map_add(&r->map, hash, (uint32_t)r->n_sites);
	name = r->lib->find_function(r->tep, site);
	if (name && !strpbrk(name, "\n\t "))
		lt_str_add(&r->f->symbols, "%016" PRIx64 " t %s\n",
			   (uint64_t)r->lib->find_function_address(r->tep, site), name);
}

/* CPU time: a reader of our output may let us wait for long. 0: no longer. */
static void limit_time(time_t seconds)
{
	const struct itimerval t = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &t, NULL);
}

/* The library calls a loop over a damaged file that does not end: so that is watched. */
static void watch(struct lt_dat *r)
{
	if (!(r->events++ % WATCH_EVENTS))
		limit_time(STUCK_SECONDS);
}

/* What was overwritten before the first record is lost since recording began. */
static void begin(struct lt_dat *r, uint64_t first)
{
	r->first = r->f->begun && r->f->begun < first ? r->f->begun : first;
	if (r->f->begun)
		lt_import_begin(r->f->im, r->first);
}

/* Events are missing between the last one of the CPU and this one. */
static void lose(struct lt_dat *r, const struct tep_record *rec, uint64_t last, uint64_t n)
{
	const struct lt_import_loss loss = {
		.cpu = (uint32_t)rec->cpu, .from = last ? last : r->first, .to = rec->ts, .n = n,
	};

	lt_import_lost(r->f->im, &loss);
}

static int take(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *arg)
{
	struct lt_dat *r = arg;
	struct lt_import_event ev;
	uint64_t before;
	bool left;

	(void)handle;
	(void)cpu;
	watch(r);
	if (!rec || rec->cpu < 0 || (uint32_t)rec->cpu >= LT_IMPORT_MAX_CPU || !rec->data)
		return 0;
	if (!r->first)
		begin(r, rec->ts);
	if (rec->ts > r->end)
		r->end = rec->ts;
	before = lt_dat_cpu(r, rec->cpu)->last;
	left = lt_dat_pages_left(r, rec);
	if (rec->missed_events)
		lose(r, rec, before, rec->missed_events > 0 ? (uint64_t)rec->missed_events : 0);
	if (left)
		lose(r, rec, before, 0);
	lt_dat_cpu(r, rec->cpu)->last = rec->ts;
	if (read_record(r, rec, &ev)) {
		take_site(r, ev.call_site);
		lt_import_event(r->f->im, &ev);
	} else if (ev.kind) {
		/* Shorter than its format: what it was about is not known. */
		lose(r, rec, before, 1);
	} else {
		r->f->others++;
	}
	return lt_import_ret(r->f->im);
}

/* ------------------------------------------------------------------------
 * A look ahead
 */

static int look(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *arg)
{
	struct lt_dat *r = arg;
	struct lt_import_event ev;

	(void)handle;
	(void)cpu;
	watch(r);
	if (rec && rec->data && read_record(r, rec, &ev) && ev.kind <= LT_IMPORT_CACHE_FREE) {
		if (ev.ptr > 16 && ev.ptr < r->min_ptr)
			r->min_ptr = ev.ptr;
		if (ev.call_site)
			r->a_site = ev.call_site;
	}
	return r->events >= LOOK_AHEAD;
}

/* Addresses near to these take the short forms of records; others the wide ones. */
static void find_bases(struct lt_dat *r)
{
	struct lt_encode_machine *m = &r->source.machine;

	r->min_ptr = UINT64_MAX;
	r->lib->iterate(r->handle, NULL, 0, look, r);
	r->events = 0;
	if (m->size_ptr == 4)
		return;
	if (r->a_site > 1ULL << 31)
		m->text_base = r->a_site - (1ULL << 31);
	if (r->min_ptr != UINT64_MAX)
		m->ptr_base = r->min_ptr & ~((1ULL << 38) - 1);
}

/* ------------------------------------------------------------------------
 * Buffers: the first one, and those that have names (trace-cmd record -B)
 */

static int found(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *arg)
{
	(void)handle;
	(void)cpu;
	*(bool *)arg |= rec != NULL;
	return 1;
}

/* @buffer: 0: the first one. Return: NULL: it cannot be read */
static struct tracecmd_input *buffer_of(struct lt_dat *r, int buffer)
{
	if (!buffer)
		return r->input;
	return r->extra.buffer_instance_handle ?
	       r->extra.buffer_instance_handle(r->input, buffer - 1) : NULL;
}

static bool has_records(struct lt_dat *r, int buffer)
{
	struct tracecmd_input *handle = buffer_of(r, buffer);
	bool any = false;

	if (handle)
		r->lib->iterate(handle, NULL, 0, found, &any);
	if (handle && buffer)
		r->lib->close(handle);
	return any;
}

/* Which one is read: the first one that has records. */
static int choose_buffer(struct lt_dat *r)
{
	int n = r->lib->buffer_instances(r->input), chosen = -1, others = 0;

	for (int i = 0; i <= n; i++) {
		if (!has_records(r, i))
			continue;
		if (chosen < 0)
			chosen = i;
		else
			others++;
	}
	if (others)
		lt_warn("%s: it has more buffers than the one that is read: %d", r->path, others);
	return chosen < 0 ? 0 : chosen;
}

/* ------------------------------------------------------------------------
 * Open and close
 */

static void close_file(struct lt_dat *r)
{
	if (r->handle && r->handle != r->input)
		r->lib->close(r->handle);
	if (r->input)
		r->lib->close(r->input);
	r->handle = r->input = NULL;
}

static bool open_file(struct lt_dat *r)
{
	r->input = r->lib->open(r->path, LT_TRACECMD_NO_PLUGINS);
	if (!r->input) {
		lt_dat_refuse(r);
		return false;
	}
	r->handle = buffer_of(r, r->buffer);
	if (!r->handle) {
		lt_error("%s: its buffer cannot be opened", r->path);
		return false;
	}
	r->tep = r->lib->get_tep(r->handle);
	memset(r->plans, 0, sizeof(r->plans));
	for (enum lt_import_kind k = LT_IMPORT_KMALLOC; k < LT_N_IMPORT; k++)
		lt_dat_plan(r, k);
	return true;
}

/* Lost where it is not known: the buffer of a CPU was full, or busy. */
static void read_cpu_stats(struct lt_dat *r)
{
	const char *text = r->extra.get_cpustats ? r->extra.get_cpustats(r->input) : NULL;
	uint64_t n, sum = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (sscanf(text, "commit overrun: %" SCNu64, &n) == 1 ||
		    sscanf(text, "dropped events: %" SCNu64, &n) == 1)
			sum += n;
	}
	lt_import_missed(r->f->im, sum);
}

static int read_all(struct lt_dat *r)
{
	if (!open_file(r))
		return -1;
	r->buffer = choose_buffer(r);
	close_file(r);
	if (!open_file(r))
		return -1;
	lt_dat_describe(r);
	if (!lt_dat_is_supported(r))
		return -1;
	find_bases(r);
	if (lt_import_file_begin(r->f, &r->source))
		return -1;
	/* From the begin again. */
	close_file(r);
	if (!open_file(r))
		return -1;
	read_cpu_stats(r);
	lt_dat_pages_begin(r);
	r->lib->iterate(r->handle, NULL, 0, take, r);
	lt_dat_pages_end(r);
	limit_time(0);
	return lt_import_file_end(r->f);
}

int lt_import_trace_dat_check(const char *what)
{
	struct lt_tracecmd_extra extra;
	struct lt_why why;

	if (lt_tracecmd_load(&extra, &why))
		return 0;
	lt_error("%s: %s", what, why.text);
	return -1;
}

int lt_import_trace_dat(struct lt_import_file *f, const char *path)
{
	struct lt_dat r = { .path = path, .f = f, .seed = lt_hash_seed() };
	struct lt_why why;
	int ret;

	r.lib = lt_tracecmd_load(&r.extra, &why);
	if (!r.lib) {
		lt_error("%s: %s", path, why.text);
		return -1;
	}
	r.lib->set_loglevel(TEP_LOG_NONE);
	r.lib->tep_set_loglevel(TEP_LOG_NONE);
	limit_time(STUCK_SECONDS);
	lt_map_init(&r.map);
	ret = read_all(&r);
	close_file(&r);
	lt_map_destroy(&r.map);
	free(r.sites);
	free(r.cpus);
	free(r.file);
	return ret;
}

#else

#include "import/file.h"
#include "out/log.h"

int lt_import_trace_dat_check(const char *what)
{
	lt_error("%s: this lifetrace was built without libtraceevent, which trace.dat needs (Debian: apt install libtraceevent-dev libtracecmd1, then make)",
		 what);
	return -1;
}

int lt_import_trace_dat(struct lt_import_file *f, const char *path)
{
	(void)f;
	return lt_import_trace_dat_check(path);
}

#endif /* LT_HAVE_TRACEEVENT */
