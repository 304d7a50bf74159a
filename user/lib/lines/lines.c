// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Source lines of code addresses.
 *
 * The kernel may run at another address than it was linked for (KASLR), and a module's sections
 * are wherever there was room. What holds in both the machine and the debug file is the distance
 * from a symbol or from the begin of a section: so an address becomes such a pair first. The
 * cache has these pairs, too: one kernel has one cache, however often it was booted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "lines/internal.h"
#include "trace/trace.h"

#define BEGIN		"_stext"	/* from which addresses of the kernel count */
#define MAX_SECTION	(64U << 20)	/* bytes of the code of a module */
#define MAX_NAME	255		/* bytes of the name of a function or file */
#define MAX_NAMED	4		/* modules that a message names */

/* ------------------------------------------------------------------------
 * Where an address is
 */

/* An address, as a distance from something that the debug file has, too. */
struct spot {
	struct lt_object *object;
	const char *where;
	uint64_t offset;
};

/* The section that begins last before the address, at any of the module's places. */
static bool in_section(struct lt_lines *l, const char *module, uint64_t addr, struct spot *s)
{
	const struct lt_build *build = NULL;
	uint64_t begin = 0;

	for (size_t i = 0; i < l->builds.n; i++) {
		const struct lt_build *b = &l->builds.builds[i];

		if (strcmp(b->name, module))
			continue;
		for (size_t k = 0; k < b->n_sections; k++) {
			const struct lt_section *section = &b->sections[k];

			if (section->addr > addr || addr - section->addr > MAX_SECTION ||
			    section->addr < begin)
				continue;
			build = b;
			begin = section->addr;
			s->where = section->name;
		}
	}
	if (!build)
		return false;
	s->object = lt_object_get(l, build->name, build->id);
	s->offset = addr - begin;
	return s->object;
}

static bool find_spot(struct lt_lines *l, uint64_t addr, struct spot *s)
{
	const char *module = NULL, *name;

	name = lt_trace_function(l->t, addr, &s->offset, &module);
	if (!name)
		return false;
	addr = lt_trace_code_address(l->t, addr);
	if (!module && l->have_stext) {
		s->object = l->objects[0];
		s->where = BEGIN;
		s->offset = addr - l->stext;
		return true;
	}
	if (module && in_section(l, module, addr, s))
		return true;
	s->object = module ? lt_object_get(l, module, "") : l->objects[0];
	s->where = name;
	return s->object;
}

/* ------------------------------------------------------------------------
 * Places
 */

/* Names are printed, and stand in lines of the cache. */
static char *clean(char *name)
{
	for (char *p = name; p && *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
	return name;
}

/* Of a long path the end says more than the begin. */
static char *cut_front(char *path)
{
	size_t len = path ? strlen(path) : 0;

	if (len > MAX_NAME)
		memmove(path, path + len - MAX_NAME, MAX_NAME + 1);
	return path;
}

static struct lt_place *make_place(struct lt_debug_frame *frames, size_t n)
{
	struct lt_place *p;

	if (!n)
		return NULL;
	p = lt_alloc(sizeof(*p) + n * sizeof(p->frames[0]));
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		const char *name = frames[i].function;

		p->frames[i].line = frames[i].line;
		p->frames[i].file = cut_front(clean(frames[i].file));
		if (name && *name)
			p->frames[i].function = clean(lt_strndup(name, strnlen(name, MAX_NAME)));
	}
	return p;
}

/* The address in the debug file of what a spot counts from. */
static bool find_base(struct lt_object *o, const char *where)
{
	if (o->base_of && !strcmp(o->base_of, where))
		return o->base_known;
	free(o->base_of);
	o->base_of = lt_strdup(where);
	o->base_known = *where == '.' ? lt_debug_section(o->debug, where, &o->base) :
					lt_debug_symbol(o->debug, where, &o->base);
	return o->base_known;
}

static void read_cache(struct lt_lines *l, struct lt_object *o)
{
	if (o->cached)
		return;
	/* Of a trace without build ids it is that of the file, which is open already. */
	lt_line_cache_init(&o->cache, l->cache_dir, *o->id || !o->debug ? o->id :
			   lt_debug_id(o->debug));
	o->cached = true;
}

static const struct lt_place *resolve(struct lt_lines *l, const struct spot *s)
{
	struct lt_debug_frame frames[LT_MAX_FRAMES];
	struct lt_object *o = s->object;
	const struct lt_cached *found;
	size_t n = 0;

	if (!*o->id && !lt_object_open(l, o)) {
		o->wanted = true;
		return NULL;
	}
	read_cache(l, o);
	found = lt_line_cache_find(&o->cache, s->where, s->offset);
	if (found) {
		l->from_cache++;
		return found->place;
	}
	if (!lt_object_open(l, o)) {
		o->wanted = true;
		return NULL;
	}
	l->resolved++;
	if (find_base(o, s->where))
		n = lt_debug_resolve(o->debug, o->base + s->offset, frames);
	return lt_line_cache_add(&o->cache, s->where, s->offset, make_place(frames, n))->place;
}

const struct lt_place *lt_lines_find(struct lt_lines *l, uint64_t addr)
{
	uint32_t number = lt_intern_number(&l->addrs, addr);
	struct spot s;

	if (!addr)
		return NULL;
	if (number >= l->n_places)
		l->places = lt_extend(l->places, &l->n_places, 2 * (size_t)number,
				      sizeof(*l->places));
	if (number >= l->n_known)
		l->known = lt_extend(l->known, &l->n_known, l->n_places, sizeof(*l->known));
	if (l->known[number])
		return l->places[number];
	l->known[number] = true;
	/* The call itself may be the last instruction of its line, and of its function. */
	if (find_spot(l, lt_trace_site_before(l->t, addr), &s))
		l->places[number] = resolve(l, &s);
	return l->places[number];
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

static void read_builds(struct lt_lines *l)
{
	const char *text;

	for (size_t i = 0; i < lt_trace_n_texts(l->t); i++) {
		text = lt_trace_text(l->t, LT_BLOCK_BUILDS, i);
		if (!text)
			break;
		lt_builds_add(&l->builds, text);
	}
	for (size_t i = 0; i < l->builds.n; i++) {
		const struct lt_build *b = &l->builds.builds[i];

		if (!*b->name)
			strcpy(l->objects[0]->id, b->id);
		else
			lt_object_get(l, b->name, b->id);
	}
}

/* A name that the trace says must not lead out of the usual places. */
static void read_release(struct lt_lines *l)
{
	const char *value = lt_trace_info(l->t, "kernel_release");

	if (value && strlen(value) < sizeof(l->release) && *value != '.' && !strchr(value, '/'))
		strcpy(l->release, value);
}

static void add_usual_trees(struct lt_lines *l)
{
	static const char *const dirs[] = { "/usr/lib/debug/lib/modules",
					    "/usr/lib/debug/usr/lib/modules", "/lib/modules" };

	l->n_given = l->n_trees;
	for (size_t i = 0; *l->release && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *dir = lt_format("%s%s/%s", l->root, dirs[i], l->release);

		l->trees = lt_realloc_array(l->trees, l->n_trees + 1, sizeof(*l->trees));
		lt_tree_init(&l->trees[l->n_trees++], dir);
		free(dir);
	}
}

struct lt_lines *lt_lines_new(const struct lt_trace *t, const struct lt_lines_spec *spec)
{
	struct lt_lines *l = lt_alloc(sizeof(*l));

	l->t = t;
	l->root = lt_strdup(spec->root);
	l->cache_dir = spec->cache ? lt_strdup(spec->cache) : NULL;
	l->debuginfod = spec->debuginfod;
	lt_intern_init(&l->addrs);
	lt_object_get(l, "", "");
	read_release(l);
	read_builds(l);
	l->have_stext = lt_trace_stext(t, &l->stext);
	for (size_t i = 0; i < spec->n_paths; i++) {
		if (!lt_lines_take_path(l, spec->paths[i])) {
			lt_lines_free(l);
			return NULL;
		}
	}
	add_usual_trees(l);
	return l;
}

/* "the kernel 6.1.0 (build id 12ab), and 3 modules (a, b, ...)" */
static void say_missing(const struct lt_lines *l, char *text, size_t size)
{
	const struct lt_object *kernel = l->objects[0];
	size_t n = 0, at = 0;

	for (size_t i = 1; i < l->n_objects; i++)
		n += l->objects[i]->wanted;
	if (kernel->wanted)
		at = (size_t)snprintf(text, size, "kernel %s%s%s%s%s", l->release,
				      *kernel->id ? " (build id " : "", kernel->id,
				      *kernel->id ? ")" : "", n ? ", " : "");
	if (n == 1 && at < size)
		at += (size_t)snprintf(text + at, size - at, "module");
	else if (n && at < size)
		at += (size_t)snprintf(text + at, size - at, "%zu modules", n);
	n = 0;
	for (size_t i = 1; i < l->n_objects && at < size && n <= MAX_NAMED; i++) {
		if (l->objects[i]->wanted && n++ < MAX_NAMED)
			at += (size_t)snprintf(text + at, size - at, "%s %s", n > 1 ? "," : "",
					       l->objects[i]->name);
		else if (n > MAX_NAMED)
			snprintf(text + at, size - at, ", ...");
	}
}

/* One line, whatever is missing. */
static void report(const struct lt_lines *l)
{
	const struct lt_object *first = NULL;
	char missing[512];

	for (size_t i = 0; i < l->n_objects && !first; i++)
		first = l->objects[i]->wanted ? l->objects[i] : NULL;
	if (!first)
		return;
	say_missing(l, missing, sizeof(missing));
	if (!lt_lines_built())
		lt_warn("no source lines of %s: this lifetrace was built without libdw", missing);
	else if (*first->why.text)
		lt_warn("no source lines of %s: %s", missing, first->why.text);
	else
		lt_warn("no source lines of %s: no debug file was found; install that of the kernel "
			"(Debian: linux-image-%s-dbg), name one with --debuginfo PATH, or set "
			"DEBUGINFOD_URLS", missing, *l->release ? l->release : "RELEASE");
}

void lt_lines_finish(struct lt_lines *l)
{
	for (size_t i = 0; i < l->n_objects; i++) {
		if (l->objects[i]->cached)
			lt_line_cache_save(&l->objects[i]->cache);
	}
	report(l);
}

void lt_lines_free(struct lt_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_objects; i++) {
		struct lt_object *o = l->objects[i];

		lt_debug_close(o->debug);
		if (o->cached)
			lt_line_cache_destroy(&o->cache);
		free(o->base_of);
		free(o);
	}
	for (size_t i = 0; i < l->n_trees; i++)
		lt_tree_destroy(&l->trees[i]);
	lt_paths_destroy(&l->modules);
	lt_builds_destroy(&l->builds);
	lt_intern_destroy(&l->addrs);
	free(l->objects);
	free(l->trees);
	free(l->places);
	free(l->known);
	free(l->root);
	free(l->cache_dir);
	free(l);
}

void lt_lines_counts(const struct lt_lines *l, size_t *resolved, size_t *cached)
{
	*resolved = l->resolved;
	*cached = l->from_cache;
}
