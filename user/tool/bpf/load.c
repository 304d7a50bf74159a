// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and attaching the programs of a channel.
 *
 * What the kernel has is known from its types before anything is loaded. If it refuses a program
 * all the same, then the object is loaded again without that one.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bpf/internal.h"
#include "bpf/words.h"

#define MAX_FAILURES	24

/* ------------------------------------------------------------------------
 * What is to be loaded
 */

static void refuse(struct lt_bpf_probe *p, const char *reason)
{
	p->shown.watched = false;
	if (!*p->shown.reason)
		snprintf(p->shown.reason, sizeof(p->shown.reason), "%s", reason);
}

/* The first of its symbols that this kernel has. */
static void choose_symbol(const struct lt_bpf *b, struct lt_bpf_probe *p)
{
	const struct lt_bpf_def *d = p->def;
	bool tracepoint = strcmp(d->section, "fentry") && strcmp(d->section, "fexit");
	struct lt_why why = { "" };

	if (!strncmp(d->name, "page_", 5) && !b->kernel.page_mask)
		refuse(p, "where the kernel keeps its pages is not known on this machine");
	if (!tracepoint && !b->functions)
		refuse(p, "this kernel lets no program watch functions");
	p->shown.kind = tracepoint ? "tracepoint" : "function";
	for (size_t i = 0; i < sizeof(d->symbols) / sizeof(*d->symbols) && d->symbols[i]; i++) {
		p->shown.symbol = d->symbols[i];
		if (tracepoint ? lt_bpf_tracepoint(&b->kernel, d->symbols[i], d->args, &why) :
				 lt_bpf_function(&b->kernel, d->symbols[i], d->args, &why))
			return;
	}
	p->shown.symbol = d->symbols[0];
	refuse(p, why.text);
}

static void choose(const struct lt_bpf *b, struct lt_bpf_channel *c,
		   const struct lt_bpf_options *o)
{
	const struct lt_bpf_def *defs = lt_bpf_defs(c->part, &c->n_probes);

	c->probes = lt_alloc_array(c->n_probes, sizeof(*c->probes));
	for (size_t i = 0; i < c->n_probes; i++) {
		struct lt_bpf_probe *p = &c->probes[i];

		p->def = &defs[i];
		p->shown.channel = c->channel;
		p->shown.name = defs[i].name;
		p->shown.watched = true;
		p->hidden = defs[i].single;
		if (!strcmp(defs[i].program, "tree_newtask") && !o->only_pid)
			refuse(p, "no tree is asked for");
		else if (o->wanted && !p->hidden && !o->wanted(o->arg, c->channel, defs[i].name))
			refuse(p, "not chosen");
		choose_symbol(b, p);
	}
}

/* ------------------------------------------------------------------------
 * Loading
 */

static unsigned int copies_of(const struct lt_bpf *b, const struct lt_bpf_def *d)
{
	return d->single ? 1 : b->config.copies;
}

static struct bpf_program *program_of(const struct lt_bpf *b, const struct lt_bpf_channel *c,
				      const struct lt_bpf_def *d, unsigned int copy)
{
	char name[64];

	if (d->single)
		snprintf(name, sizeof(name), "%s", d->program);
	else
		snprintf(name, sizeof(name), "%s_%u", d->program, copy);
	return b->lib->bpf_object__find_program_by_name(c->object, name);
}

static void set_programs(const struct lt_bpf *b, struct lt_bpf_channel *c)
{
	struct bpf_program *p = NULL;

	while ((p = b->lib->bpf_object__next_program(c->object, p)))
		b->lib->bpf_program__set_autoload(p, false);
	c->open_calls = b->lib->bpf_object__find_program_by_name(c->object, "sys_open");
	if (c->open_calls)
		b->lib->bpf_program__set_autoload(c->open_calls, true);
	for (size_t i = 0; i < c->n_probes; i++) {
		struct lt_bpf_probe *probe = &c->probes[i];

		for (unsigned int copy = 0; copy < copies_of(b, probe->def); copy++) {
			p = program_of(b, c, probe->def, copy);
			probe->programs[copy] = probe->shown.watched ? p : NULL;
			if (!p || !probe->shown.watched)
				continue;
			b->lib->bpf_program__set_autoload(p, true);
			if (!strcmp(probe->shown.kind, "function"))
				b->lib->bpf_program__set_attach_target(p, 0, probe->shown.symbol);
		}
	}
}

static void set_size(const struct lt_bpf *b, const struct lt_bpf_channel *c, const char *name,
		     uint32_t entries, bool needed)
{
	struct bpf_map *m = b->lib->bpf_object__find_map_by_name(c->object, name);

	if (!m)
		return;
	if (!needed)
		b->lib->bpf_map__set_autocreate(m, false);
	else if (entries)
		b->lib->bpf_map__set_max_entries(m, entries);
}

static void set_maps(const struct lt_bpf *b, struct lt_bpf_channel *c)
{
	const struct lt_bpf_config *config = &b->config;
	struct bpf_map *m = NULL;
	size_t size;

	set_size(b, c, "stacks", config->stack_below ?
		 b->n_cpus * LT_BPF_COPIES * LT_BPF_EVENTS : 1, true);
	set_size(b, c, "tree", config->tree ? 0 : 1, true);
	set_size(b, c, "cgroup", 0, true);
	set_size(b, c, "texts", b->n_cpus * LT_BPF_COPIES, true);
	while ((m = b->lib->bpf_object__next_map(c->object, m))) {
		if (strstr(b->lib->bpf_map__name(m), ".rodata")) {
			/* What is constant is constant from loading on. */
			struct lt_bpf_config *to =
				(struct lt_bpf_config *)b->lib->bpf_map__initial_value(m, &size);

			if (!to || size < sizeof(*to))
				continue;
			memcpy(to, config, sizeof(*to));
			to->ring_mask = c->ring.bytes - 8;
			to->stride = c->ring.stride;
		}
	}
}

/* "libbpf: prog 'NAME': failed to load: -1": which of the events it is; NULL: of none. */
static struct lt_bpf_probe *who_failed(const struct lt_bpf *b, struct lt_bpf_channel *c)
{
	const char *at = NULL, *next = lt_libbpf_said();

	while ((next = strstr(next, "prog '")) != NULL) {
		next += strlen("prog '");
		at = next;
	}
	for (size_t i = 0; at && i < c->n_probes; i++) {
		for (unsigned int copy = 0; copy < LT_BPF_COPIES; copy++) {
			struct bpf_program *p = c->probes[i].programs[copy];
			const char *name = p ? b->lib->bpf_program__name(p) : "";
			size_t len = strlen(name);

			if (len && !strncmp(at, name, len) && at[len] == '\'')
				return &c->probes[i];
		}
	}
	return NULL;
}

static const char *reason_of(int err)
{
	switch (err) {
	case EPERM:
		return "the kernel refuses it: not permitted";
	case E2BIG:
		return "the kernel refuses it: too many instructions";
	case EACCES:
	case EINVAL:
		return "the kernel's verifier refuses it";
	default:
		return strerror(err);
	}
}

static void add_words(struct lt_bpf_probe *p)
{
	size_t len = strlen(p->shown.reason);
	char words[sizeof(p->shown.reason)];

	lt_bpf_words(lt_libbpf_said(), words, sizeof(words));
	if (*words)
		snprintf(p->shown.reason + len, sizeof(p->shown.reason) - len, ": %s", words);
}

static bool open_object(struct lt_bpf *b, struct lt_bpf_channel *c, struct lt_why *why)
{
	const struct lt_bpf_image *image = lt_bpf_image_of(c->part, b->config.level);
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "lifetrace");

	c->object = b->lib->bpf_object__open_mem(image->bytes, image->size, &options);
	if (c->object)
		return true;
	lt_why_set(why, "the programs cannot be opened: %s", strerror(errno));
	return false;
}

bool lt_bpf_load(struct lt_bpf *b, struct lt_bpf_channel *c, const struct lt_bpf_options *o,
		 struct lt_why *why)
{
	choose(b, c, o);
	for (unsigned int i = 0; i < MAX_FAILURES; i++) {
		struct lt_bpf_probe *bad;
		bool whole;
		int err;

		lt_libbpf_clear();
		if (!open_object(b, c, why))
			return false;
		set_programs(b, c);
		if (!lt_bpf_ring_make(b, c, why)) {
			b->lib->bpf_object__close(c->object);
			c->object = NULL;
			return false;
		}
		set_maps(b, c);
		err = -b->lib->bpf_object__load(c->object);
		whole = lt_bpf_ring_loaded(b, c);
		if (!err && whole)
			return true;
		lt_bpf_ring_unmap(&c->ring);
		bad = who_failed(b, c);
		if (whole)
			b->lib->bpf_object__close(c->object);
		c->object = NULL;
		if (!bad) {
			lt_why_set(why, "programs cannot be loaded: %s%s", strerror(err),
				   lt_bpf_needs(err));
			return false;
		}
		refuse(bad, reason_of(err));
		add_words(bad);
	}
	lt_why_set(why, "the kernel refuses too many programs");
	return false;
}

#endif /* LT_HAVE_LIBBPF */
