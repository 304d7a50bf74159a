// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is known of a kernel: types, symbols, functions that can be traced.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fetch/distilled.h"
#include "fetch/elf.h"
#include "fetch/internal.h"

#define MAX_TEXT	(256U << 20)
#define MAX_MODULES	60000

uint32_t lt_fetch_hash(const char *name)
{
	uint32_t h = 2166136261U;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619U;
	return h ? h : 1;
}

struct lt_fetch *lt_fetch_new(const char *machine)
{
	const struct lt_machine *m = lt_machine_find(machine);
	struct lt_fetch *f;

	if (!m)
		return NULL;
	f = lt_alloc(sizeof(*f));
	f->machine = m;
	lt_map_init(&f->by_name);
	f->modules = lt_grow(NULL, &f->cap_modules, 0, sizeof(*f->modules));
	f->modules[f->n_modules++] = (struct lt_fetch_module){ .name = lt_strdup("") };
	return f;
}

void lt_fetch_free(struct lt_fetch *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_modules; i++) {
		free(f->modules[i].name);
		lt_btf_free(f->modules[i].btf);
	}
	for (size_t i = 0; i < f->n_texts; i++)
		free(f->texts[i]);
	free(f->texts);
	free(f->modules);
	free(f->entries);
	lt_map_destroy(&f->by_name);
	free(f);
}

size_t lt_fetch_functions(const struct lt_fetch *f)
{
	return f->n;
}

const struct lt_btf *lt_fetch_btf(const struct lt_fetch *f, const struct lt_fetch_entry *e)
{
	const struct lt_btf *own = f->modules[e->module].btf;

	return own ? own : f->modules[0].btf;
}

struct lt_fetch_entry *lt_fetch_find(const struct lt_fetch *f, const char *name, uint16_t module)
{
	uint32_t i;

	lt_map_for_each(i, at, &f->by_name, lt_fetch_hash(name)) {
		struct lt_fetch_entry *e = &f->entries[i - 1];

		if (e->module == module && !strcmp(e->name, name))
			return e;
	}
	return NULL;
}

/* The entry of a name, which is made if there is none. @name must live as long as @f. */
static struct lt_fetch_entry *entry(struct lt_fetch *f, const char *name, uint16_t module)
{
	struct lt_fetch_entry *e = lt_fetch_find(f, name, module);

	if (e)
		return e;
	f->entries = lt_grow(f->entries, &f->cap, f->n, sizeof(*f->entries));
	e = &f->entries[f->n++];
	*e = (struct lt_fetch_entry){ .name = name, .module = module };
	lt_map_add(&f->by_name, lt_fetch_hash(name), (uint32_t)f->n);
	return e;
}

/* The number of a module, which is made if it is new. */
static uint16_t module_number(struct lt_fetch *f, const char *name, size_t len)
{
	/* Symbols come module by module: the last one is the first to try. */
	for (size_t i = f->n_modules; i--; ) {
		if (strlen(f->modules[i].name) == len && !strncmp(f->modules[i].name, name, len))
			return (uint16_t)i;
	}
	if (f->n_modules >= MAX_MODULES)
		return MAX_MODULES - 1;
	f->modules = lt_grow(f->modules, &f->cap_modules, f->n_modules, sizeof(*f->modules));
	f->modules[f->n_modules] = (struct lt_fetch_module){ .name = lt_strndup(name, len) };
	return (uint16_t)f->n_modules++;
}

static void take_types(struct lt_fetch *f, uint16_t number, struct lt_btf *b)
{
	f->modules[number].btf = b;
	for (uint32_t id = b->first; id < b->n; id++) {
		const struct btf_type *t = lt_btf_type(b, id);
		struct lt_fetch_entry *e;

		if (lt_btf_kind(t) != BTF_KIND_FUNC || !*lt_btf_name(b, t->name_off))
			continue;
		e = entry(f, lt_btf_name(b, t->name_off), number);
		if (!e->n_types)
			e->type = id;
		e->n_types += e->n_types < UINT8_MAX;
	}
}

bool lt_fetch_types(struct lt_fetch *f, const char *module, const char *path, struct lt_why *why)
{
	struct lt_btf *base = module ? f->modules[0].btf : NULL, *b;
	uint16_t number = module ? module_number(f, module, strlen(module)) : 0;

	if (f->modules[number].btf) {
		lt_why_set(why, "its types were read already");
		return false;
	}
	if (module && !base) {
		lt_why_set(why, "the types of the kernel come before those of a module");
		return false;
	}
	b = lt_btf_read(path, base, why);
	if (b)
		take_types(f, number, b);
	return b;
}

bool lt_fetch_has_module(const struct lt_fetch *f, const char *module)
{
	for (size_t i = 1; i < f->n_modules; i++) {
		if (!strcmp(f->modules[i].name, module))
			return true;
	}
	return false;
}

bool lt_fetch_wants_types(struct lt_fetch *f, const char *module)
{
	for (size_t i = 1; i < f->n_modules; i++) {
		struct lt_fetch_module *m = &f->modules[i];

		if (!strcmp(m->name, module)) {
			bool wants = !m->btf && !m->asked;

			m->asked = true;
			return wants;
		}
	}
	return false;
}

/* A function of a module that is not loaded: what can be traced is not known. */
struct absent {
	struct lt_fetch *f;
	uint16_t module;
};

static void take_function(void *arg, const char *name)
{
	const struct absent *a = arg;
	struct lt_fetch_entry *e;

	if (!*name || !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6))
		return;
	e = entry(a->f, name, a->module);
	e->n_symbols += e->n_symbols < UINT8_MAX;
	e->traceable = true;
}

/*
 * Types that are built upon no others, as `pahole -J` makes them: also where the kernel has none.
 * How large a pointer is follows from the machine, since they may lack the type long.
 */
static struct lt_btf *whole_types(struct lt_fetch *f, uint8_t *copy, size_t size,
				  struct lt_why *why)
{
	struct lt_btf *b = lt_btf_parse(copy, size, NULL, why);

	if (b)
		b->word = f->machine->word;
	return b;
}

/* Where the types are: those of a module built outside of the kernel's tree are in two sections. */
static bool take_own_types(struct lt_fetch *f, uint16_t number, const uint8_t *data, size_t size,
			   struct lt_why *why)
{
	struct lt_btf *kernel = f->modules[0].btf, *b;
	struct lt_distilled d = { 0 };
	size_t offset, length;
	bool whole, distilled;
	uint8_t *copy;

	if (!lt_elf_section(data, size, ".BTF", &offset, &length))
		return true;
	d.own = data + offset;
	d.own_size = length;
	distilled = lt_elf_section(data, size, ".BTF.base", &offset, &d.base_size);
	whole = !distilled && lt_btf_is_whole(d.own, d.own_size);
	if (!kernel && !whole)
		return true;
	if (distilled) {
		d.base = data + offset;
		b = lt_distilled_parse(&d, kernel, why);
	} else {
		copy = lt_alloc(length + 1);
		memcpy(copy, d.own, length);
		b = whole ? whole_types(f, copy, length, why) :
			    lt_btf_parse(copy, length, kernel, why);
	}
	if (b)
		take_types(f, number, b);
	return b;
}

/*
 * A module's file, which stays with @f: names of functions point into it. NULL: after setting @why.
 */
static const uint8_t *read_file(struct lt_fetch *f, const char *path, size_t *size,
				struct lt_why *why)
{
	char *data = lt_read_text_file(path, MAX_TEXT, size);

	if (!data) {
		lt_why_set(why, "%s", strerror(errno));
		return NULL;
	}
	f->texts = lt_grow(f->texts, &f->cap_texts, f->n_texts, sizeof(*f->texts));
	f->texts[f->n_texts++] = data;
	if (lt_elf_is((uint8_t *)data, *size))
		return (uint8_t *)data;
	lt_why_set(why, "it is no ELF file");
	return NULL;
}

bool lt_fetch_loaded_module(struct lt_fetch *f, const char *module, const char *path,
			    const uint8_t *id, size_t id_size, struct lt_why *why)
{
	size_t size, offset, length;
	const uint8_t *data = read_file(f, path, &size, why);

	if (!data)
		return false;
	if (!id_size || !lt_elf_section(data, size, ".note.gnu.build-id", &offset, &length) ||
	    length != id_size || memcmp(data + offset, id, length))
		return true;
	return take_own_types(f, module_number(f, module, strlen(module)), data, size, why);
}

bool lt_fetch_module(struct lt_fetch *f, const char *module, const char *path, struct lt_why *why)
{
	struct absent a = { .f = f };
	size_t size;
	const uint8_t *data = read_file(f, path, &size, why);

	if (!data)
		return false;
	a.module = module_number(f, module, strlen(module));
	lt_elf_functions(data, size, take_function, &a);
	return take_own_types(f, a.module, data, size, why);
}

/* What the text has at the end of a line, "[module]"; cut off. Return: the module's number. */
static uint16_t cut_module(struct lt_fetch *f, char *line)
{
	size_t len = strcspn(line, "\t ");
	char *m = line + len, *end;

	if (!*m)
		return 0;
	*m++ = 0;
	m += strspn(m, "\t ");
	end = strchr(m, ']');
	return *m == '[' && end ? module_number(f, m + 1, (size_t)(end - m - 1)) : 0;
}

/* Symbols that are made beside a function, and are none. */
static bool is_function(char type, const char *name)
{
	if (!strchr("TtWw", type) || !*name || *name == '$' || *name == '.')
		return false;
	return strncmp(name, "__pfx_", 6) && strncmp(name, "__cfi_", 6);
}

/* Programs of BPF and trampolines stand among the symbols as if they were of modules. */
static bool is_made(const char *line)
{
	const char *module = strchr(line, '[');

	return module && (!strcmp(module, "[bpf]") || !strncmp(module, "[__builtin__", 12));
}

static char *keep_text(struct lt_fetch *f, const char *path, struct lt_why *why)
{
	char *text = lt_read_text_file(path, MAX_TEXT, NULL);

	if (!text) {
		lt_why_set(why, "%s", strerror(errno));
		return NULL;
	}
	f->texts = lt_grow(f->texts, &f->cap_texts, f->n_texts, sizeof(*f->texts));
	f->texts[f->n_texts++] = text;
	return text;
}

/* Cuts the next line off. Return: NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	*text = end ? end + 1 : line + strlen(line);
	return line;
}

bool lt_fetch_symbols(struct lt_fetch *f, const char *path, struct lt_why *why)
{
	char *text = keep_text(f, path, why), *line;
	size_t number = 0;

	if (!text)
		return false;
	while ((line = next_line(&text))) {
		struct lt_fetch_entry *e;
		uint16_t module;
		char *end;
		uint64_t address = strtoull(line, &end, 16);

		number++;
		/*
		 * A symbol of a section of which the kernel's build knew no kind has the type '?'.
		 */
		if (end == line || end[0] != ' ' || !isgraph((unsigned char)end[1]) ||
		    end[2] != ' ' || !end[3]) {
			lt_why_set(why, "line %zu: expected 'ADDRESS TYPE NAME', found '%.40s'",
				   number, line);
			return false;
		}
		if (!is_function(end[1], end + 3))
			continue;
		line = end + 3;
		if (is_made(line))
			continue;
		module = cut_module(f, line);
		e = entry(f, line, module);
		e->address = address;
		e->n_symbols += e->n_symbols < UINT8_MAX;
	}
	if (!number) {
		lt_why_set(why, "it has no symbols");
		return false;
	}
	f->has_symbols = true;
	return true;
}

bool lt_fetch_traceable(struct lt_fetch *f, const char *path, struct lt_why *why)
{
	char *text = keep_text(f, path, why), *line;
	size_t n = 0;

	if (!text)
		return false;
	while ((line = next_line(&text))) {
		uint16_t module = cut_module(f, line);
		struct lt_fetch_entry *e = lt_fetch_find(f, line, module);

		/* It also has names of places that have none. */
		if (e)
			e->traceable = true;
		n++;
	}
	if (!n) {
		lt_why_set(why, "it is empty");
		return false;
	}
	f->has_traceable = true;
	return true;
}
