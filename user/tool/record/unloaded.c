// SPDX-License-Identifier: GPL-2.0
/*
 * The code of modules that were unloaded during a recording. What they have allocated may live on,
 * and is asked for by the name of its call site later, when /proc/kallsyms has it no more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "record/internal.h"

#define MAX_SYMBOLS	(4U << 20)	/* bytes: the modules of some hours of tests */

struct lt_unloaded {
	char *symbols;
	char *modules;
};

/*
 * A line of /proc/modules, and the lines of /proc/kallsyms that are of its code. From Linux 6.4 on
 * the memory of a module is in several places, of which the line has the first address of the code,
 * and the size of all: [@begin, @end) may have code of others. The code is [@first, @last], the
 * begins of its first and its last function.
 */
struct module {
	const char *line;
	size_t len;
	char name[64];
	uint64_t begin;
	uint64_t end;
	uint64_t first;
	uint64_t last;
	struct lt_str symbols;
};

struct modules {
	struct module *m;
	size_t n;
	size_t cap;
};

/* "name size refcount users state 0xaddress" */
static bool parse(struct module *m, const char *line, size_t len)
{
	char skip[4096], word[32];
	uint64_t size;

	*m = (struct module){ .line = line, .len = len };
	if (!lt_word(&line, &len, m->name, sizeof(m->name)) ||
	    !lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 10, &size) ||
	    !lt_word(&line, &len, skip, sizeof(skip)) ||
	    !lt_word(&line, &len, skip, sizeof(skip)) ||
	    !lt_word(&line, &len, skip, sizeof(skip)) ||
	    !lt_word(&line, &len, word, sizeof(word)) || strncmp(word, "0x", 2) ||
	    !lt_number(word + 2, 16, &m->begin) || !m->begin || size > UINT64_MAX - m->begin)
		return false;
	m->end = m->begin + size;
	return true;
}

/* Adds the modules of a text. */
static void add_modules(struct modules *list, const char *text)
{
	const char *line;
	size_t len;

	while (text && lt_line(&text, &line, &len)) {
		struct module m;

		if (!parse(&m, line, len))
			continue;
		list->m = lt_grow(list->m, &list->cap, list->n, sizeof(*list->m));
		list->m[list->n++] = m;
	}
}

static void take_symbol(struct module *m, uint64_t addr, const char *line, size_t len)
{
	if (!m->symbols.n || addr < m->first)
		m->first = addr;
	if (!m->symbols.n || addr > m->last)
		m->last = addr;
	lt_str_add(&m->symbols, "%.*s\n", (int)len, line);
}

/* "ffffffffc0000000 t name\t[module]": gives a line of code to its module. */
static void add_symbol(struct modules *list, size_t first, const char *line, size_t len)
{
	const char *name = memchr(line, '[', len), *type = memchr(line, ' ', len), *end;
	uint64_t addr;

	if (!name || !type || !type[1] || !strchr("tTwW", type[1]))
		return;
	name++;
	end = memchr(name, ']', (size_t)(line + len - name));
	addr = strtoull(line, NULL, 16);
	for (size_t i = first; end && i < list->n; i++) {
		struct module *m = &list->m[i];

		if (addr < m->begin || addr >= m->end || strlen(m->name) != (size_t)(end - name) ||
		    memcmp(m->name, name, (size_t)(end - name)))
			continue;
		take_symbol(m, addr, line, len);
		return;
	}
}

/* Adds modules with their code. */
static void add_code(struct modules *list, const char *symbols, const char *modules)
{
	size_t first = list->n, len;
	const char *line;

	add_modules(list, modules);
	while (first < list->n && symbols && lt_line(&symbols, &line, &len))
		add_symbol(list, first, line, len);
}

/* Whether another module has its place, or it is there itself. */
static bool is_covered(const struct module *m, const struct modules *now)
{
	for (size_t i = 0; i < now->n; i++) {
		const struct module *o = &now->m[i];

		if (o->symbols.n && m->first <= o->last && o->first <= m->last)
			return true;
	}
	return false;
}

static struct lt_unloaded *join(const struct modules *list, const struct modules *now)
{
	struct lt_unloaded *u = lt_alloc(sizeof(*u));
	struct lt_str symbols = { 0 }, modules = { 0 };
	size_t bytes = 0;

	lt_str_add(&symbols, "%s", "");
	lt_str_add(&modules, "%s", "");
	for (size_t i = 0; i < list->n; i++) {
		const struct module *m = &list->m[i];

		if (!m->symbols.n || is_covered(m, now))
			continue;
		bytes += m->symbols.n;
		if (bytes > MAX_SYMBOLS)
			continue;
		lt_str_add(&symbols, "%s", m->symbols.s);
		lt_str_add(&modules, "%.*s\n", (int)m->len, m->line);
	}
	u->symbols = symbols.s;
	u->modules = modules.s;
	return u;
}

static void free_modules(struct modules *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->m[i].symbols.s);
	free(list->m);
}

struct lt_unloaded *lt_unloaded_add(struct lt_unloaded *u, const char *symbols,
				    const char *modules, const char *symbols_now,
				    const char *modules_now)
{
	struct modules loaded = { 0 }, before = { 0 };
	struct lt_unloaded *all;

	add_code(&loaded, symbols_now, modules_now);
	add_code(&before, symbols, modules);
	if (u)
		add_code(&before, u->symbols, u->modules);
	all = join(&before, &loaded);
	free_modules(&loaded);
	free_modules(&before);
	lt_unloaded_free(u);
	return all;
}

void lt_unloaded_free(struct lt_unloaded *u)
{
	if (!u)
		return;
	free(u->symbols);
	free(u->modules);
	free(u);
}

char *lt_unloaded_symbols(const struct lt_unloaded *u, const char *symbols)
{
	return lt_format("%s%s", symbols, u->symbols);
}

char *lt_unloaded_modules(const struct lt_unloaded *u, const char *modules)
{
	return lt_format("%s%s", modules, u->modules);
}
