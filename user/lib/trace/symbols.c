// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of code addresses, from the copy of /proc/kallsyms in the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "trace/symbols.h"
#include "base/text.h"

#define MAX_FUNCTION	(16U << 20)	/* bytes; an address farther from a symbol is not in it */
#define MODULE_NAME	64
/*
 * Code that the kernel makes while it runs has names in /proc/kallsyms and no size there:
 * trampolines of ftrace and kprobes have a page at most.
 */
#define MAX_MADE	4096

struct symbol {
	uint64_t addr;
	const char *name;		/* in a copy of the text */
	const char *module;		/* in a copy of the text, or NULL */
	size_t order;			/* in which they were added */
};

struct module {
	char name[MODULE_NAME];
	uint64_t begin;
	uint64_t end;
	uint64_t reach;			/* highest end of the entries of this name up to this one */
};

/* The kernel's text, and that of its initialisation. */
struct bounds {
	uint64_t begin;
	uint64_t end;			/* 0: not known */
};

/* Where the kernel's own code begins and ends. */
enum mark { STEXT, ETEXT, SINITTEXT, EINITTEXT, N_MARKS };

static const char *const marks[] = { "_stext", "_etext", "_sinittext", "_einittext" };

/*
 * @marks: kept apart, as other symbols have the same addresses, and one of each address is kept
 */
struct lt_symbols {
	uint64_t marks[N_MARKS];
	struct bounds text;
	struct bounds init;
	struct symbol *syms;
	size_t n;
	size_t cap;
	struct module *modules;
	size_t n_modules;
	size_t cap_modules;
	char **texts;
	size_t n_texts;
	size_t cap_texts;
	bool sorted;
	bool modules_sorted;
};

struct lt_symbols *lt_symbols_new(void)
{
	return lt_alloc(sizeof(struct lt_symbols));
}

void lt_symbols_free(struct lt_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_texts; i++)
		free(s->texts[i]);
	free(s->texts);
	free(s->modules);
	free(s->syms);
	free(s);
}

/*
 * Marks where code or data begins within a section, as "$a" or "$d.12" (ELF for the Arm
 * architecture, "Mapping symbols"; of RISC-V, too). /proc/kallsyms has those of modules, at the
 * addresses of functions; the kernel leaves them out where it prints a name.
 */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || strchr(". \t", name[2]));
}

bool lt_symbols_is_bound(const char *name, size_t len)
{
	for (size_t i = 0; i < N_MARKS; i++) {
		if (len == strlen(marks[i]) && !memcmp(name, marks[i], len))
			return true;
	}
	return false;
}

/* "ffffffff81000000 T name\t[module]"; the line is cut up in place. */
static void add_line(struct lt_symbols *s, char *line)
{
	char *end, *name, *bracket;
	struct symbol *sym;
	uint64_t addr;

	addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return;
	/* Without privilege all addresses read as 0. */
	name = end + 3;
	if (!addr || !*name || *name == ' ' || *name == '\t' || is_mapping_symbol(name))
		return;
	s->syms = lt_grow(s->syms, &s->cap, s->n, sizeof(*s->syms));
	sym = &s->syms[s->n];
	*sym = (struct symbol){ .addr = addr, .name = name, .order = s->n };
	s->n++;
	end = name + strcspn(name, " \t");
	bracket = strchr(end, '[');
	if (bracket) {
		bracket[strcspn(bracket, "]")] = 0;
		sym->module = bracket + 1;
	}
	*end = 0;
	for (size_t i = 0; i < N_MARKS && !sym->module; i++) {
		if (!s->marks[i] && !strcmp(name, marks[i]))
			s->marks[i] = addr;
	}
}

void lt_symbols_add(struct lt_symbols *s, const char *text)
{
	char *copy = lt_strdup(text), *line = copy;

	s->texts = lt_grow(s->texts, &s->cap_texts, s->n_texts, sizeof(*s->texts));
	s->texts[s->n_texts++] = copy;
	s->sorted = false;
	while (*line) {
		char *end = strchrnul(line, '\n');
		char *next = *end ? end + 1 : end;

		*end = 0;
		add_line(s, line);
		line = next;
	}
}

/* "name size refcount users state 0xaddress" */
void lt_symbols_modules(struct lt_symbols *s, const char *text)
{
	const char *line;
	size_t len;

	s->modules_sorted = false;
	while (lt_line(&text, &line, &len)) {
		char name[MODULE_NAME], skip[4096], word[32];
		uint64_t size, addr;
		struct module *m;

		if (!lt_word(&line, &len, name, sizeof(name)) ||
		    !lt_word(&line, &len, word, sizeof(word)) || !lt_number(word, 10, &size) ||
		    !lt_word(&line, &len, skip, sizeof(skip)) ||
		    !lt_word(&line, &len, skip, sizeof(skip)) ||
		    !lt_word(&line, &len, skip, sizeof(skip)) ||
		    !lt_word(&line, &len, word, sizeof(word)) || strncmp(word, "0x", 2) ||
		    !lt_number(word + 2, 16, &addr) || !addr || size > UINT64_MAX - addr)
			continue;
		s->modules = lt_grow(s->modules, &s->cap_modules, s->n_modules,
				     sizeof(*s->modules));
		m = &s->modules[s->n_modules++];
		strcpy(m->name, name);
		m->begin = addr;
		m->end = addr + size;
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct bounds bounds_of(const struct lt_symbols *s, enum mark begin, enum mark end)
{
	struct bounds b = { .begin = s->marks[begin], .end = s->marks[end] };

	return b.begin && b.begin <= b.end ? b : (struct bounds){ 0 };
}

static bool is_within(const struct bounds *b, uint64_t addr)
{
	return addr >= b->begin && addr < b->end;
}

/* Whether the kernel's own code reaches from a symbol to an address. */
static bool within_kernel(const struct lt_symbols *s, const struct symbol *sym, uint64_t addr)
{
	if (!s->text.end || addr == sym->addr)
		return true;
	/* Some kernels have code before the begin of their text, of their first steps. */
	return is_within(&s->text, addr) || is_within(&s->init, addr) ||
	       (addr < s->text.begin && addr < s->init.begin);
}

/* Keeps the first of the symbols at one address; a later text repeats most symbols. */
static void sort(struct lt_symbols *s)
{
	size_t kept = 0;

	s->text = bounds_of(s, STEXT, ETEXT);
	s->init = bounds_of(s, SINITTEXT, EINITTEXT);
	if (s->n)
		qsort(s->syms, s->n, sizeof(*s->syms), by_addr);
	for (size_t i = 0; i < s->n; i++) {
		if (!kept || s->syms[i].addr != s->syms[kept - 1].addr)
			s->syms[kept++] = s->syms[i];
	}
	s->n = kept;
	s->sorted = true;
}

static int by_name(const void *a, const void *b)
{
	const struct module *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	if (c)
		return c;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void sort_modules(struct lt_symbols *s)
{
	if (s->n_modules)
		qsort(s->modules, s->n_modules, sizeof(*s->modules), by_name);
	for (size_t i = 0; i < s->n_modules; i++) {
		struct module *m = &s->modules[i];
		bool same = i && !strcmp(m[-1].name, m->name);

		m->reach = same && m[-1].reach > m->end ? m[-1].reach : m->end;
	}
	s->modules_sorted = true;
}

/* Whether an address is in the module of a symbol, at any of the places where it was loaded. */
static bool within_module(const struct lt_symbols *s, const struct symbol *sym, uint64_t addr)
{
	const char *name = sym->module;
	size_t lo = 0, hi = s->n_modules;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(s->modules[mid].name, name);

		if (c < 0 || (!c && s->modules[mid].begin <= addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	/* The last entry that begins before; a following one may have the name, too. */
	if (lo && !strcmp(s->modules[lo - 1].name, name))
		return s->modules[lo - 1].reach > addr;
	if (lo < s->n_modules && !strcmp(s->modules[lo].name, name))
		return false;
	return !s->n_modules || addr - sym->addr < MAX_MADE;
}

void lt_symbols_ready(struct lt_symbols *s)
{
	if (!s->sorted)
		sort(s);
	if (!s->modules_sorted)
		sort_modules(s);
}

const char *lt_symbols_find(const struct lt_symbols *s, uint64_t addr, uint64_t *offset,
			    const char **module)
{
	size_t lo = lt_first_not(s->n, i, s->syms[i].addr <= addr);
	const struct symbol *sym;

	if (!lo)
		return NULL;
	sym = &s->syms[lo - 1];
	if (addr - sym->addr > MAX_FUNCTION)
		return NULL;
	if (sym->module ? addr != sym->addr && !within_module(s, sym, addr) :
			  !within_kernel(s, sym, addr))
		return NULL;
	*offset = addr - sym->addr;
	*module = sym->module;
	return sym->name;
}

bool lt_symbols_stext(const struct lt_symbols *s, uint64_t *addr)
{
	*addr = s->marks[STEXT];
	return *addr;
}

bool lt_symbols_are_equal(const struct lt_symbols *a, const struct lt_symbols *b)
{
	if (!a->n || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (a->syms[i].addr != b->syms[i].addr || strcmp(a->syms[i].name, b->syms[i].name))
			return false;
	}
	return true;
}

bool lt_symbols_any(const struct lt_symbols *s)
{
	return s->n;
}
